import { createClient, httpCaller } from 'castellan/client'
import { memoryAuthorizationStore, type AuthorizationStore } from 'castellan/store'
import {
  authorizationCodeTransport,
  ConsentRequiredError,
  publicClient,
  type WebConsent,
  type WebConsentOptions,
} from 'castellan/transports'
import type { McpOptions } from 'castellan/fastify'
import type { DpopOptions } from 'castellan/resource-server'
import type { TestAuthorizationServerOptions } from 'castellan/testing'
import { whoami, writing } from '../../fastify/guarded.js'
import { protectedServer, type ProtectedServer } from '../protected-server.js'

export const redirectUri = 'https://app.example.com/oauth/callback'
export const webClient = { clientId: 'web', redirectUris: [redirectUri] }

export interface WebApp extends ProtectedServer {
  /** One instance of the application; all share their stores. */
  instance(options?: Partial<WebConsentOptions>): WebConsent
  readonly stores: Map<string, AuthorizationStore>
  registration(changes?: object): ReturnType<typeof publicClient>
}

/** A protected server, and a web application whose users act at it. */
export async function webApp(
  options: TestAuthorizationServerOptions = {},
  dpop?: DpopOptions,
  heard: Pick<McpOptions, 'audit' | 'span'> = {},
): Promise<WebApp> {
  const own = { ofUsers: true, server: { clients: [webClient], ...options }, ...heard }
  const server = await protectedServer({ ...own, ...(dpop && { dpop }) })
  const stores = new Map<string, AuthorizationStore>()
  const instances: WebConsent[] = []
  const store = (userId: string) => {
    const own = stores.get(userId) ?? memoryAuthorizationStore()
    stores.set(userId, own)
    return own
  }
  const registration = (changes: object = {}) =>
    publicClient({ issuer: server.as.issuer, clientId: 'web', allowLoopbackHttp: true, ...changes })
  return {
    ...server,
    stores,
    registration,
    instance(changes = {}) {
      const made = authorizationCodeTransport.forWeb({
        endpoint: server.endpoint,
        registration: registration(),
        redirectUri,
        store,
        allowLoopbackHttp: true,
        ...changes,
      })
      instances.push(made)
      return made
    },
    async stop() {
      await Promise.all(instances.map((made) => made.close()))
      await server.stop()
    },
  }
}

export const clientOf = (consent: WebConsent, user = 'alice') =>
  createClient(
    httpCaller({ clientInfo: { name: 'web', version: '1.0.0' }, transport: consent.transport(user) }),
  )
/** Who the server says is calling. */
export const ask = (consent: WebConsent, user?: string) => clientOf(consent, user).call(whoami.definition, {})
/** Needs `notes:read` and `notes:write`. */
export async function write(consent: WebConsent, user?: string): Promise<string> {
  const [block] = await clientOf(consent, user).call(writing.definition, {})
  return block?.type === 'text' ? block.text : ''
}

/** Where a call sends the user. */
export async function consentOf(call: Promise<unknown>): Promise<ConsentRequiredError> {
  const error: unknown = await call.then(
    () => new Error('The call needed no consent'),
    (thrown: unknown) => thrown,
  )
  if (error instanceof ConsentRequiredError) return error
  throw error
}

/** A user who says yes to everything a call asks for. */
export async function consented(app: WebApp, consent: WebConsent, user = 'alice'): Promise<void> {
  const { url } = await consentOf(ask(consent, user))
  await consent.finish(user, await app.as.consent(url, { subject: user }))
}
