import { randomUUID } from 'node:crypto'
import { calculateJwkThumbprint, importJWK, jwtVerify, type JWTHeaderParameters } from 'jose'
import { publicJwk } from '../resource-server/possession/proof-key.js'

/** Reads the proofs that requests at a token endpoint carry (RFC 9449 §5). */
export interface BoundKeys {
  /** The nonce that proofs must name now. */
  readonly nonce: string | undefined
  /** Thumbprint of the key a proof is signed with, or the error to answer with. Each proof is good once. */
  read(proof: string): Promise<{ readonly jkt: string } | { readonly error: ProofError }>
  /** Asks for another nonce from now on. */
  rotate(): void
}

type ProofError = 'invalid_dpop_proof' | 'use_dpop_nonce'

/** Reads proofs for one URL, with nonces or without. */
export function boundKeys(url: string, hasNonces: boolean): BoundKeys {
  const seen = new Set<string>()
  let nonce = hasNonces ? randomUUID() : undefined
  return {
    get nonce() {
      return nonce
    },
    async read(proof) {
      try {
        const { payload, protectedHeader } = await jwtVerify(proof, shownKey, {
          typ: 'dpop+jwt',
          algorithms: ['ES256'],
          maxTokenAge: 60,
          requiredClaims: ['jti', 'iat'],
        })
        const { jti = '', htm, htu } = payload
        if (htm !== 'POST' || htu !== url || seen.has(jti)) return { error: 'invalid_dpop_proof' }
        seen.add(jti)
        if (nonce !== undefined && payload['nonce'] !== nonce) return { error: 'use_dpop_nonce' }
        return { jkt: await calculateJwkThumbprint(publicJwk(protectedHeader.jwk) ?? {}) }
      } catch {
        return { error: 'invalid_dpop_proof' }
      }
    },
    rotate: () => void (nonce = hasNonces ? randomUUID() : undefined),
  }
}

function shownKey({ jwk }: JWTHeaderParameters) {
  return importJWK(publicJwk(jwk) ?? {}, 'ES256')
}
