import { calculateJwkThumbprint, exportJWK, generateKeyPair } from 'jose'
import { z } from 'zod'

const coordinate = z.string().regex(/^[\w-]{43}$/)

/** A private key for proofs of possession as it is kept with a grant: P-256, for ES256. */
export const proofKey = z
  .strictObject({
    kty: z.literal('EC'),
    crv: z.literal('P-256'),
    x: coordinate,
    y: coordinate,
    d: coordinate,
  })
  .readonly()

export type ProofKey = z.infer<typeof proofKey>

/** Generates a key. */
export async function newProofKey(): Promise<ProofKey> {
  const { privateKey } = await generateKeyPair('ES256', { extractable: true })
  const { kty, crv, x, y, d } = await exportJWK(privateKey)
  return proofKey.parse({ kty, crv, x, y, d })
}

/** What tokens bound to the key and `dpop_jkt` name it by (RFC 7638, RFC 9449 §6.1, §10). */
export function keyThumbprint(key: ProofKey): Promise<string> {
  return calculateJwkThumbprint(key)
}
