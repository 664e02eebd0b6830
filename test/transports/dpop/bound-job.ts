import { memoryAuthorizationStore } from 'castellan/store'
import { clientCredentialsTransport, secretBasic, type ClientTransport } from 'castellan/transports'

/** A job with bound tokens, at a server that is its own authorization server. */
export function boundJob(origin: string): ClientTransport {
  return clientCredentialsTransport({
    endpoint: `${origin}/mcp`,
    registration: secretBasic({ issuer: origin, clientId: 'c', clientSecret: 's', allowLoopbackHttp: true }),
    store: memoryAuthorizationStore(),
    dpop: true,
    allowLoopbackHttp: true,
  })
}
