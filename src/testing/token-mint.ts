import { randomBytes } from 'node:crypto'
import { decodeJwt, type JWK } from 'jose'
import { mintBadToken, type BadTokenKind } from './bad-token.js'
import { accessTokenClaims, mintAccessToken, signText, type MintOptions } from './mint.js'
import { signingKey } from './signing-key.js'

/** Makes tokens of one issuer and remembers them. */
export interface TokenMint {
  /** The keys published now. */
  publishedKeys(): readonly JWK[]
  /** Mints an RFC 9068 access token with the present key. */
  mint(options: MintOptions): Promise<string>
  /** Mints a token that says nothing by itself and is known to the introspection endpoint. */
  mintOpaque(options: MintOptions): string
  /** Mints a token with one defect. */
  mintBad(kind: BadTokenKind, options: MintOptions): Promise<string>
  /** Makes a minted token inactive at the introspection endpoint. */
  revoke(token: string): void
  /** Signs with a new key from now on; the old key stays published with `keepOld`, and keeps its name with `sameKid`. */
  rotateKeys(options?: { readonly keepOld?: boolean; readonly sameKid?: boolean }): Promise<void>
  /** Publishes exactly these keys until the next rotation; signing goes on with the present key. */
  publishKeys(keys: readonly unknown[]): void
}

/** What the endpoints of the same server ask. */
export interface MintedTokens {
  /** The claims of a token that was minted and not revoked. */
  find(this: void, token: string): Readonly<Record<string, unknown>> | undefined
  sign(this: void, payload: string, header: Readonly<Record<string, unknown>>): Promise<string>
}

/** Makes the mint of an issuer, with a key of its own. */
export async function tokenMint(issuer: string): Promise<{ mint: TokenMint; minted: MintedTokens }> {
  let key = await signingKey()
  let published: readonly unknown[] = [key.publicJwk]
  const known = new Map<string, Readonly<Record<string, unknown>>>()
  const mint: TokenMint = {
    publishedKeys: () => published as readonly JWK[],
    async mint(options) {
      const token = await mintAccessToken(issuer, key, options)
      known.set(token, decodeJwt(token))
      return token
    },
    mintOpaque(options) {
      const token = `opaque.${randomBytes(25).toString('base64')}`
      known.set(token, accessTokenClaims(issuer, options))
      return token
    },
    mintBad: (kind, options) => mintBadToken(issuer, key, kind, options),
    revoke: (token) => void known.delete(token),
    async rotateKeys({ keepOld = false, sameKid = false } = {}) {
      const old = key
      key = await signingKey(sameKid ? old.kid : undefined)
      published = keepOld ? [key.publicJwk, old.publicJwk] : [key.publicJwk]
    },
    publishKeys: (keys) => void (published = keys),
  }
  const find = (token: string) => known.get(token)
  const sign: MintedTokens['sign'] = (payload, header) => signText(key, payload, header)
  return { mint, minted: { find, sign } }
}
