import { hash } from 'node:crypto'
import type { JWK } from 'jose'
import { readToken, type UnverifiedToken } from '../jwt/token.js'
import type { BoundRequest, ProofDefect } from './possession.js'
import { publicJwk } from './proof-key.js'
import { namesTarget } from './target-url.js'

/** What holds for every proof. */
export interface ProofRules {
  readonly algorithms: ReadonlySet<string>
  readonly maxAgeSeconds: number
}

/** A proof that says the right things; its signature is not yet checked. */
export interface ReadProof {
  readonly algorithm: string
  readonly jwk: JWK
  readonly jti: string
  readonly nonce: unknown
}

/** Allowed difference of clocks for a proof made in the future, in seconds. */
export const futureTolerance = 5

const maxProofLength = 8_192
const maxIdLength = 256
const types = new Set(['dpop+jwt'])

/**
 * Reads a proof and checks all it says against the request at a moment (seconds since the epoch), or tells what is
 * wrong; signature, key, nonce and first use are left (RFC 9449 §4.2, §4.3).
 */
export function readProof(
  proof: string,
  rules: ProofRules,
  request: BoundRequest,
  now: number,
): ReadProof | ProofDefect {
  if (proof.length > maxProofLength) return 'proof-malformed'
  const read = readToken(proof, { algorithms: rules.algorithms, types, allowMissingType: false })
  if (read === 'algorithm' || read === 'type') return `proof-${read}`
  if (typeof read === 'string') return 'proof-malformed'
  return checked(read, rules, request, now)
}

function checked(
  { header, claims }: UnverifiedToken,
  { maxAgeSeconds }: ProofRules,
  { method, target, token }: BoundRequest,
  now: number,
): ReadProof | ProofDefect {
  const jwk = publicJwk(header.jwk)
  if (jwk === undefined || header.alg === undefined) return 'proof-key'
  const { htm, htu, iat, jti, ath, nonce } = claims
  if (htm !== method) return 'proof-method'
  if (typeof htu !== 'string' || !namesTarget(htu, target)) return 'proof-url'
  if (typeof iat !== 'number' || iat < now - maxAgeSeconds || iat > now + futureTolerance) return 'proof-time'
  if (typeof jti !== 'string' || jti === '' || jti.length > maxIdLength) return 'proof-id'
  if (ath !== hash('sha256', token, 'base64url')) return 'proof-token'
  return { algorithm: header.alg, jwk, jti, nonce }
}
