import { once } from 'node:events'
import { createServer } from 'node:http'
import { exportJWK, generateKeyPair, type CryptoKey } from 'jose'
import type * as oidc from 'oidc-provider'
import { quietProvider } from '../notes/quiet-provider.js'

export const basicJob = { clientId: 'basic-job', clientSecret: 'a secret of 32 characters or more' }
export const signingJob = { clientId: 'signing-job', kid: 'job-1', alg: 'ES256' } as const

interface AuthorizationServer {
  readonly issuer: string
  /** The private key of the job that signs; the server has the public one. */
  readonly key: CryptoKey
  /** How many tokens it has given. */
  readonly given: () => number
  close(): Promise<void>
}

/** A real authorization server with two applications: one has a secret, the other a key. */
export async function authorizationServer(port: number, resource: string): Promise<AuthorizationServer> {
  const issuer = `http://127.0.0.1:${port}`
  const { publicKey, privateKey } = await generateKeyPair('ES256')
  const jobKey = { ...(await exportJWK(publicKey)), kid: signingJob.kid, alg: 'ES256', use: 'sig' }
  const own = await generateKeyPair('ES256', { extractable: true })
  const ownKey = { ...(await exportJWK(own.privateKey)), kid: 'server', alg: 'ES256', use: 'sig' }
  const common = {
    grant_types: ['client_credentials'],
    response_types: [],
    redirect_uris: [],
    scope: 'notes:read',
  }
  const configuration = ({ errors }: typeof oidc): oidc.Configuration => ({
    jwks: { keys: [ownKey] },
    cookies: { keys: ['an example needs no secret cookies'] },
    clientDefaults: { id_token_signed_response_alg: 'ES256' },
    enabledJWA: { clientAuthSigningAlgValues: ['ES256'] },
    clients: [
      { ...common, client_id: basicJob.clientId, client_secret: basicJob.clientSecret },
      {
        ...common,
        client_id: signingJob.clientId,
        token_endpoint_auth_method: 'private_key_jwt',
        token_endpoint_auth_signing_alg: 'ES256',
        jwks: { keys: [jobKey] },
      },
    ],
    scopes: ['notes:read'],
    ttl: { ClientCredentials: 3600 },
    features: {
      devInteractions: { enabled: false },
      clientCredentials: { enabled: true },
      resourceIndicators: {
        enabled: true,
        getResourceServerInfo: (_context, asked) => {
          if (asked !== resource) throw new errors.InvalidTarget()
          const jwt = { sign: { alg: 'ES256' as const } }
          return { scope: 'notes:read', audience: resource, accessTokenFormat: 'jwt', jwt }
        },
      },
    },
  })
  const provider = await quietProvider(issuer, configuration)
  let tokens = 0
  provider.on('client_credentials.issued', () => (tokens += 1))
  const answer = provider.callback()
  const server = createServer((request, response) => void answer(request, response))
  await once(server.listen(port, '127.0.0.1'), 'listening')
  return {
    issuer,
    key: privateKey,
    given: () => tokens,
    async close() {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}
