import { exportJWK, generateKeyPair, type CryptoKey, type JWK } from 'jose'

/** An ES256 key pair with a name. */
export interface SigningKey {
  readonly kid: string
  readonly privateKey: CryptoKey
  /** As published, with `kid`, `alg` and `use`. */
  readonly publicJwk: JWK
}

let made = 0

/** Generates an ES256 key; names are unique in the process unless given. */
export async function signingKey(kid?: string): Promise<SigningKey> {
  made += 1
  const name = kid ?? `test-key-${made}`
  const { publicKey, privateKey } = await generateKeyPair('ES256')
  return {
    kid: name,
    privateKey,
    publicJwk: { ...(await exportJWK(publicKey)), kid: name, alg: 'ES256', use: 'sig' },
  }
}
