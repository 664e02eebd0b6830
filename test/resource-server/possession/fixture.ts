import {
  createGuard,
  isRejection,
  type Principal,
  type Rejection,
} from '../../../src/resource-server/index.js'
import { withDpopAt, type DpopOptions } from '../../../src/resource-server/possession/dpop.js'
import { dpopKey, type DpopKey, type MintOptions, type ProofOptions } from '../../../src/testing/index.js'
import { resource, resourceServerAt, setClock, startAuthorizationServer } from '../fixture.js'

export const metadata = 'resource_metadata="https://api.example.com/.well-known/oauth-protected-resource/mcp"'
const algorithms = 'algs="ES256 ES384 EdDSA PS256 RS256"'

/** The challenge of the DPoP scheme with default algorithms. */
export function dpopChallenge(error?: string): string {
  return `DPoP ${algorithms}, ${metadata}${error === undefined ? '' : `, error="${error}"`}, scope="mcp"`
}

export function bearerChallenge(error?: string): string {
  return `Bearer ${metadata}${error === undefined ? '' : `, error="${error}"`}, scope="mcp"`
}

/** A guard that checks proofs of possession, on a clock that stands still, with one key. */
export async function dpopGuard(options: DpopOptions = {}) {
  const as = await startAuthorizationServer()
  const clock = setClock()
  const resourceServer = withDpopAt(resourceServerAt(clock, { issuer: as.issuer }), options, clock)
  const guard = createGuard({ resourceServer, basicScopes: ['mcp'] })
  const key = await dpopKey()

  const present = async (authorization: string, ...proofs: string[]): Promise<Principal | Rejection> =>
    guard.authenticate({
      authorization: [authorization],
      proofs,
      method: 'POST',
      target: resource,
      url: '/mcp',
    })
  const mintBound = (mint: Partial<MintOptions> = {}, { jkt }: DpopKey = key) =>
    as.mint({ resource, claims: { cnf: { jkt } }, ...mint })
  const proof = (token: string, change: Partial<ProofOptions> = {}, signer: DpopKey = key) =>
    signer.proof({
      method: 'POST',
      url: resource,
      token,
      ...change,
      claims: { iat: Math.floor(clock.now() / 1000), ...change.claims },
    })
  return { as, clock, guard, key, resourceServer, present, mintBound, proof }
}

/** Status, challenge and reason of a rejection, or the subject of a principal. */
export function told(decision: Principal | Rejection) {
  if (!isRejection(decision)) return decision.subject
  return [decision.status, decision.reason, decision.headers['www-authenticate']]
}
