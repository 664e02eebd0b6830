import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import fastify from 'fastify'
import { exportJWK, generateKeyPair } from 'jose'
import type { Configuration, JWK, Provider } from 'oidc-provider'
import { quietProvider } from '../notes/quiet-provider.js'
import { serveDocuments } from './document.js'
import { interactionRoutes } from './interactions.js'

export interface AuthorizationServerOptions {
  readonly issuer: string
  /** The one resource tokens are issued for. */
  readonly resource: string
  readonly scopes: readonly string[]
  readonly redirectUri: string
}

export interface AuthorizationServer {
  readonly client: { readonly clientId: string; readonly clientSecret: string }
  /** How often a user was asked to consent, codes and refresh tokens were exchanged, and grants taken back. */
  readonly counts: Readonly<Record<'consents' | 'codes' | 'refreshes' | 'revocations', number>>
  close(): Promise<void>
}

/** A real authorization server with pages of its own for signing in and consenting. */
export async function authorizationServer(options: AuthorizationServerOptions): Promise<AuthorizationServer> {
  const { issuer, redirectUri } = options
  const client = { clientId: 'jotter', clientSecret: randomBytes(24).toString('base64url') }
  const { privateKey } = await generateKeyPair('ES256', { extractable: true })
  const key = { ...(await exportJWK(privateKey)), alg: 'ES256', use: 'sig', kid: 'demo' }
  const provider = await quietProvider(issuer, ({ errors }) => ({
    ...identity(options, client, key),
    features: {
      devInteractions: { enabled: false },
      revocation: {
        enabled: true,
        allowedPolicy: (_context, { clientId }, token) => token.clientId === clientId,
      },
      resourceIndicators: {
        enabled: true,
        getResourceServerInfo: (_context, asked) => {
          if (asked !== options.resource) throw new errors.InvalidTarget()
          return tokensFor(options)
        },
      },
    },
  }))
  const counts = counting(provider)
  const pages = fastify()
  await serveDocuments(pages, [new URL(redirectUri).origin])
  interactionRoutes(pages, provider)
  await pages.ready()
  const protocol = provider.callback()
  const own = ['/interaction/', '/style.css', '/icon.svg']
  const server = createServer((request, response) => {
    if (own.some((path) => request.url?.startsWith(path) === true)) pages.routing(request, response)
    else void protocol(request, response)
  })
  await once(server.listen(Number(new URL(issuer).port), '127.0.0.1'), 'listening')
  return {
    client,
    counts,
    async close() {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await Promise.all([closed, pages.close()])
    },
  }
}

function counting(provider: Provider) {
  const counts = { consents: 0, codes: 0, refreshes: 0, revocations: 0 }
  provider.on('interaction.started', (_context, { name }) => {
    if (name === 'consent') counts.consents += 1
  })
  provider.on('authorization_code.consumed', () => (counts.codes += 1))
  provider.on('refresh_token.consumed', () => (counts.refreshes += 1))
  provider.on('grant.revoked', () => (counts.revocations += 1))
  return counts
}

function identity(
  { issuer, redirectUri }: AuthorizationServerOptions,
  { clientId, clientSecret }: AuthorizationServer['client'],
  key: JWK,
): Configuration {
  return {
    jwks: { keys: [key] },
    cookies: { keys: [randomBytes(32).toString('base64url')], names: { session: 'login' } },
    clientDefaults: { id_token_signed_response_alg: 'ES256' },
    clients: [
      {
        client_id: clientId,
        client_secret: clientSecret,
        client_name: 'Jotter',
        grant_types: ['authorization_code', 'refresh_token'],
        redirect_uris: [redirectUri],
        token_endpoint_auth_method: 'client_secret_basic',
      },
    ],
    findAccount: (_context, accountId) => ({ accountId, claims: () => ({ sub: accountId }) }),
    interactions: { url: (_context, { uid }) => `${issuer}/interaction/${uid}` },
    issueRefreshToken: () => true,
    rotateRefreshToken: true,
    ttl: { AccessToken: 300, RefreshToken: 86_400, Session: 86_400, Grant: 86_400, Interaction: 600 },
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
