import { DefinitionError } from '../errors.js'
import type { AcceptedTokens, ResourceServer } from './resource-server.js'
import { isPresentable, tokenShape } from './token-shape.js'
import { refused } from './verdict.js'

/**
 * Makes one resource server of several: of several issuers, or for signed and opaque tokens.
 *
 * A signed JWT goes to the member that accepts its `iss`, one that verifies signatures before one that introspects;
 * any other token goes to the one that introspects. No member is tried after another. All must be for the same
 * `resource`. Throws `DefinitionError` (`ERR_OPTION`) where it would be left open whom to ask.
 *
 * @example
 * anyOf(jwtResourceServer({ resource, issuer }), introspectionResourceServer({ resource, registration }))
 */
export function anyOf<Claims = Record<string, unknown>>(
  ...resourceServers: readonly ResourceServer<Claims>[]
): ResourceServer<Claims> {
  const resource = sharedResource(resourceServers)
  if (resourceServers.some(({ possession }) => possession !== undefined))
    refuse('comes first, proof of possession around it: `withDpop(anyOf(…))`')
  const choose = chooser(resourceServers)
  return Object.freeze({
    resource,
    issuers: Object.freeze([...new Set(resourceServers.flatMap(({ issuers }) => issuers))]),
    relaxations: Object.freeze(resourceServers.flatMap(({ relaxations = [] }) => relaxations)),
    verify(token: string): ReturnType<ResourceServer<Claims>['verify']> {
      const chosen = choose(token)
      return 'verify' in chosen ? chosen.verify(token) : chosen
    },
    async close() {
      await Promise.all(resourceServers.map(async (server) => server.close()))
    },
  })
}

type Refused = ReturnType<typeof refused>

const noSuchIssuer = refused('issuer')
const malformed = refused('malformed')

/** Returns a function that names the member to ask, or says why none is asked. */
function chooser<Claims>(members: readonly ResourceServer<Claims>[]) {
  const jwt = byIssuer(members, 'jwt')
  const any = byIssuer(members, 'any')
  const [introspecting, another] = members.filter((member) => acceptedTokens(member).format === 'any')
  if (another !== undefined)
    refuse('can have one member that introspects: nobody could tell whose an opaque token is')
  return (token: string): ResourceServer<Claims> | Refused => {
    const shape = tokenShape(token)
    if (shape.format === 'opaque') return (isPresentable(token) && introspecting) || malformed
    if (typeof shape.issuer !== 'string') return malformed
    return jwt.get(shape.issuer) ?? any.get(shape.issuer) ?? noSuchIssuer
  }
}

function byIssuer<Claims>(
  members: readonly ResourceServer<Claims>[],
  format: AcceptedTokens['format'],
): ReadonlyMap<string, ResourceServer<Claims>> {
  const found = new Map<string, ResourceServer<Claims>>()
  for (const member of members) {
    const accepted = acceptedTokens(member)
    if (accepted.format !== format) continue
    for (const issuer of accepted.issuers) {
      if (found.has(issuer)) refuse(`has two members for the same tokens of ${issuer}`)
      found.set(issuer, member)
    }
  }
  return found
}

function acceptedTokens(member: Pick<ResourceServer, 'accepts'>): AcceptedTokens {
  return (
    member.accepts ??
    refuse('needs `accepts` of every member; what `anyOf` has made is not one: name all members at once')
  )
}

function sharedResource(members: readonly Pick<ResourceServer, 'resource'>[]): string {
  const [resource, other] = new Set(members.map((member) => member.resource))
  if (resource === undefined) return refuse('needs at least one resource server')
  if (other !== undefined) refuse(`is for one resource, not for ${resource} and ${other}`)
  return resource
}

function refuse(problem: string): never {
  throw new DefinitionError(`\`anyOf\` ${problem}`, 'ERR_OPTION')
}
