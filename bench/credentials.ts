import { createHash } from 'node:crypto'
import { calculateJwkThumbprint, exportJWK, generateKeyPair, SignJWT, type JWK } from 'jose'
import { connections, issuer, resource, scope } from './workload.js'

/** How a token of a load is signed, and whether it is bound to a key. */
export type TokenKind = 'ES256' | 'RS256' | 'EdDSA' | 'DPoP'

export interface Credentials {
  /** One for each connection, since a guard verifies one token once for all who present it at that moment. */
  readonly tokens: Readonly<Record<TokenKind, readonly string[]>>
  /** The public key set, as the servers read it from their environment. */
  readonly keys: string
  /** A proof of possession, made now, for a token of its kind. */
  readonly proof: (token: string) => Promise<string>
}

/** Access tokens that outlive the run, and the keys that verify them. */
export async function credentials(): Promise<Credentials> {
  const [ecdsa, rsa, eddsa] = await Promise.all([signer('ES256'), signer('RS256'), signer('EdDSA')])
  const holder = await generateKeyPair('ES256')
  const jwk = await exportJWK(holder.publicKey)
  const cnf = { jkt: await calculateJwkThumbprint(jwk) }
  return {
    tokens: {
      ...{ ES256: await many(ecdsa.sign), RS256: await many(rsa.sign), EdDSA: await many(eddsa.sign) },
      DPoP: await many((claims) => ecdsa.sign({ ...claims, cnf })),
    },
    keys: JSON.stringify([ecdsa.jwk, rsa.jwk, eddsa.jwk]),
    proof: async (token) => {
      const ath = createHash('sha256').update(token).digest('base64url')
      return new SignJWT({ htm: 'POST', htu: resource, jti: 'bench', ath })
        .setProtectedHeader({ alg: 'ES256', typ: 'dpop+jwt', jwk })
        .setIssuedAt()
        .sign(holder.privateKey)
    },
  }
}

type Sign = (claims: Readonly<Record<string, unknown>>) => Promise<string>

function many(sign: Sign): Promise<string[]> {
  return Promise.all(Array.from({ length: connections }, (_, n) => sign({ jti: `bench-${n}` })))
}

async function signer(alg: 'ES256' | 'RS256' | 'EdDSA') {
  const { privateKey, publicKey } = await generateKeyPair(alg)
  const jwk: JWK = { ...(await exportJWK(publicKey)), kid: alg, alg }
  const sign = (claims: Readonly<Record<string, unknown>>): Promise<string> =>
    new SignJWT({ client_id: 'bench', scope, ...claims })
      .setProtectedHeader({ alg, typ: 'at+jwt', kid: alg })
      .setIssuer(issuer)
      .setAudience(resource)
      .setSubject('bench')
      .setIssuedAt()
      .setExpirationTime('6h')
      .sign(privateKey)
  return { jwk, sign }
}
