import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { issuer, resource, scope } from './workload.js'

export interface Credentials {
  readonly token: string
  /** The public key set, as the servers read it from their environment. */
  readonly keys: string
}

/** An ES256 access token that outlives the run, and the key that verifies it. */
export async function credentials(): Promise<Credentials> {
  const { privateKey, publicKey } = await generateKeyPair('ES256')
  const token = await new SignJWT({ client_id: 'bench', scope })
    .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', kid: 'bench' })
    .setIssuer(issuer)
    .setAudience(resource)
    .setSubject('bench')
    .setJti('bench')
    .setIssuedAt()
    .setExpirationTime('6h')
    .sign(privateKey)
  return { token, keys: JSON.stringify([{ ...(await exportJWK(publicKey)), kid: 'bench', alg: 'ES256' }]) }
}
