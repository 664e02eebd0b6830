import { createHash, randomUUID } from 'node:crypto'
import { calculateJwkThumbprint, CompactSign, exportJWK, generateKeyPair, type JWK } from 'jose'

/** What a DPoP proof says (RFC 9449 §4.2). */
export interface ProofOptions {
  readonly method: string
  /** The URL of the request, without query and fragment. */
  readonly url: string
  /** The access token the proof goes with. */
  readonly token: string
  /** The nonce the server asked for. */
  readonly nonce?: string
  /** Further claims, or other values for the usual ones; `undefined` leaves a claim out. */
  readonly claims?: Readonly<Record<string, unknown>>
  /** Further header members, or other values; `undefined` leaves one out. */
  readonly header?: Readonly<Record<string, unknown>>
}

/** A key that proves possession. */
export interface DpopKey {
  /** What a token bound to the key says: mint it with `claims: { cnf: { jkt } }`. */
  readonly jkt: string
  readonly publicJwk: JWK
  /** Signs a fresh proof, the value of the `DPoP` header. */
  proof(options: ProofOptions): Promise<string>
}

/** Generates a key for DPoP proofs; `algorithm` as in JOSE, by default `ES256`. */
export async function dpopKey(algorithm = 'ES256'): Promise<DpopKey> {
  const { publicKey, privateKey } = await generateKeyPair(algorithm)
  const publicJwk = await exportJWK(publicKey)
  return Object.freeze({
    jkt: await calculateJwkThumbprint(publicJwk),
    publicJwk,
    proof(options: ProofOptions) {
      const header = { alg: algorithm, typ: 'dpop+jwt', jwk: publicJwk, ...options.header }
      return new CompactSign(new TextEncoder().encode(JSON.stringify(proofClaims(options))))
        .setProtectedHeader(header)
        .sign(privateKey)
    },
  })
}

function proofClaims({ method, url, token, nonce, claims }: ProofOptions): Record<string, unknown> {
  return {
    jti: randomUUID(),
    htm: method,
    htu: url,
    iat: Math.floor(Date.now() / 1000),
    ath: createHash('sha256').update(token).digest('base64url'),
    ...(nonce !== undefined && { nonce }),
    ...claims,
  }
}
