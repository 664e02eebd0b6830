import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, generateKeyPair } from 'jose'
import Provider, { type ClientMetadata, type Configuration } from 'oidc-provider'

export interface ConsentingProvider {
  readonly issuer: string
  /** Parameters of every request at the token endpoint. */
  readonly asked: readonly Readonly<Record<string, unknown>>[]
  /** What the user was shown, in order: the name of each prompt. */
  readonly prompts: readonly string[]
  /** Is the browser of a user who signs in and consents to everything; gives the URL the user is sent back to. */
  browse(url: string, redirectUri: string): Promise<string>
  close(): Promise<void>
}

/** `oidc-provider` for clients that act for users, with rotating refresh tokens, resource indicators and, for proofs, nonces. */
export async function consentingProvider(
  clients: readonly ClientMetadata[],
  { features, ...changes }: Configuration = {},
): Promise<ConsentingProvider> {
  const host = createServer()
  await once(host.listen(0, '127.0.0.1'), 'listening')
  const issuer = `http://127.0.0.1:${(host.address() as AddressInfo).port}`
  const signing = await generateKeyPair('ES256', { extractable: true })
  const jwk = { ...(await exportJWK(signing.privateKey)), use: 'sig', alg: 'ES256', kid: 'provider' }
  const common = {
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'] as ['code'],
    id_token_signed_response_alg: 'ES256' as const,
  }
  const provider = new Provider(issuer, {
    jwks: { keys: [jwk] },
    clients: clients.map((client) => ({ ...common, ...client })),
    clientAuthMethods: ['none', 'client_secret_basic', 'private_key_jwt'],
    enabledJWA: { clientAuthSigningAlgValues: ['ES256'] },
    findAccount: (_, accountId) => ({ accountId, claims: () => ({ sub: accountId }) }),
    issueRefreshToken: () => true,
    rotateRefreshToken: true,
    features: {
      devInteractions: { enabled: false },
      revocation: { enabled: true },
      dPoP: { enabled: true, nonceSecret: randomBytes(32), requireNonce: () => true },
      resourceIndicators: {
        enabled: true,
        getResourceServerInfo: (_, audience) => ({
          audience,
          scope: 'mcp notes:read notes:write',
          accessTokenFormat: 'jwt',
          jwt: { sign: { alg: 'ES256' } },
        }),
      },
      ...features,
    },
    ...changes,
  })
  const asked: Record<string, unknown>[] = []
  const prompts: string[] = []
  provider.on('interaction.started', (_context, prompt) => prompts.push(prompt.name))
  provider.use(async (context, next) => {
    await next()
    if (context.path === '/token') asked.push({ ...context['oidc']?.params })
  })
  const handle = provider.callback()
  host.on('request', (request, response) => {
    const isInteraction = request.url?.startsWith('/interaction/') === true
    void (isInteraction ? interact(provider, request, response) : handle(request, response))
  })
  return {
    issuer,
    asked,
    prompts,
    browse,
    async close() {
      const closed = once(host, 'close')
      host.close()
      host.closeAllConnections()
      await closed
    },
  }
}

async function interact(
  provider: Provider,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { prompt, params, session } = await provider.interactionDetails(request, response)
  if (prompt.name === 'login') {
    return provider.interactionFinished(request, response, { login: { accountId: 'alice' } })
  }
  const accountId = session!.accountId
  const grant = new provider.Grant({ accountId, clientId: String(params['client_id']) })
  grant.addOIDCScope(String(params['scope']))
  grant.addResourceScope(String(params['resource']), String(params['scope']))
  const consent = { grantId: await grant.save() }
  return provider.interactionFinished(request, response, { consent }, { mergeWithLastSubmission: true })
}

async function browse(url: string, redirectUri: string): Promise<string> {
  const jar = new Map<string, string>()
  let next = url
  for (let hops = 0; hops < 12; hops += 1) {
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ')
    const answer = await fetch(next, { redirect: 'manual', headers: { cookie } })
    for (const line of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      if (value === '') jar.delete(name)
      else jar.set(name, value)
    }
    const location = answer.headers.get('location')
    if (location === null) throw new Error(`${new URL(next).pathname} was answered with ${answer.status}`)
    next = new URL(location, next).href
    if (next.startsWith(redirectUri)) return next
  }
  throw new Error('The browser was sent around in circles')
}
