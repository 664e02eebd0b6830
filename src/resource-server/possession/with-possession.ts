import type { ResourceServer } from '../resource-server.js'
import type { Possession } from './possession.js'

/** The same resource server with one more way to prove possession; asks the given one, whatever it is made of. */
export function withPossession<Claims>(
  resourceServer: ResourceServer<Claims>,
  added: Possession,
): ResourceServer<Claims> {
  const { resource, issuers, possession } = resourceServer
  return Object.freeze({
    ...resourceServer,
    resource,
    issuers,
    verify: (token: string) => resourceServer.verify(token),
    close: () => resourceServer.close(),
    possession: Object.freeze({ ...possession, ...added }),
  })
}
