import { randomBytes } from 'node:crypto'
import { createServer } from 'node:http'
import { exportJWK, generateKeyPair } from 'jose'
import type { Configuration, JWK } from 'oidc-provider'
import { quietProvider } from './quiet-provider.js'

export interface ConfidentialClient {
  readonly clientId: string
  readonly clientSecret: string
}

export interface AuthorizationServerOptions {
  readonly port: number
  /** The one resource tokens are issued for. */
  readonly resource: string
  readonly scopes: readonly string[]
}

export interface AuthorizationServer {
  readonly issuer: string
  readonly client: ConfidentialClient
  close(): Promise<void>
}

/** A real authorization server: ES256 access tokens (RFC 9068) for one resource (RFC 8707) and one confidential client. */
export async function authorizationServer(options: AuthorizationServerOptions): Promise<AuthorizationServer> {
  const issuer = `http://127.0.0.1:${options.port}`
  const client = { clientId: 'notes-job', clientSecret: randomBytes(24).toString('base64url') }
  const key = await signingKey()
  const provider = await quietProvider(issuer, ({ errors }) => ({
    ...identity(client, key, options),
    features: {
      devInteractions: { enabled: false },
      clientCredentials: { enabled: true },
      resourceIndicators: {
        enabled: true,
        getResourceServerInfo: (_context, resource) => {
          if (resource !== options.resource) throw new errors.InvalidTarget()
          return tokensFor(options)
        },
      },
    },
  }))
  const answer = provider.callback()
  const server = createServer((request, response) => void answer(request, response))
  await new Promise<void>((resolve) => server.listen(options.port, '127.0.0.1', resolve))
  return {
    issuer,
    client,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

async function signingKey(): Promise<JWK> {
  const { privateKey } = await generateKeyPair('ES256', { extractable: true })
  return { ...(await exportJWK(privateKey)), alg: 'ES256', use: 'sig', kid: 'demo' }
}

function identity(
  { clientId, clientSecret }: ConfidentialClient,
  key: JWK,
  { scopes }: AuthorizationServerOptions,
): Configuration {
  return {
    jwks: { keys: [key] },
    cookies: { keys: [randomBytes(32).toString('base64url')] },
    clientDefaults: { id_token_signed_response_alg: 'ES256' },
    clients: [
      {
        client_id: clientId,
        client_secret: clientSecret,
        token_endpoint_auth_method: 'client_secret_basic',
        grant_types: ['client_credentials'],
        response_types: [],
        redirect_uris: [],
        scope: scopes.join(' '),
      },
    ],
    scopes: [...scopes],
    ttl: { ClientCredentials: 3600 },
  }
}

function tokensFor({ resource, scopes }: AuthorizationServerOptions) {
  return {
    scope: scopes.join(' '),
    audience: resource,
    accessTokenFormat: 'jwt' as const,
    jwt: { sign: { alg: 'ES256' as const } },
  }
}
