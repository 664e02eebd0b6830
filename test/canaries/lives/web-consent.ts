import type { DpopOptions } from 'castellan/resource-server'
import { memoryAuthorizationStore, type AuthorizationStore } from 'castellan/store'
import type { TestAuthorizationServerOptions } from 'castellan/testing'
import {
  privateKey,
  publicClient,
  publicClientMetadata,
  secretBasic,
  secretPost,
  type Registration,
  type WebConsent,
} from 'castellan/transports'
import { exportJWK, generateKeyPair } from 'jose'
import {
  ask,
  consentOf,
  redirectUri,
  webApp,
  write,
  type WebApp,
} from '../../transports/authorization-code/web-app.js'
import type { Canaries } from '../canaries.js'
import { recordedStore } from '../recorded-store.js'
import { canary } from '../secrets.js'
import { stepsAt, type Faults, type Life } from './life.js'

const loopback = { allowLoopbackHttp: true } as const
const signing = await generateKeyPair('ES256', { extractable: true })
const { d } = await exportJWK(signing.privateKey)
const clientSecret = canary('client-secret')
const clients = [
  { clientId: 'web', redirectUris: [redirectUri] },
  { clientId: 'shop', clientSecret, redirectUris: [redirectUri] },
  { clientId: 'signer', redirectUris: [redirectUri] },
]
const methods = ['none', 'client_secret_basic', 'client_secret_post', 'private_key_jwt']
const options: TestAuthorizationServerOptions = {
  clients,
  metadata: {
    token_endpoint_auth_methods_supported: methods,
    token_endpoint_auth_signing_alg_values_supported: ['ES256'],
  },
}

const registrations = {
  'a public client': (issuer: string) => publicClient({ issuer, clientId: 'web', ...loopback }),
  'a client known by its document': (issuer: string) =>
    publicClientMetadata({ issuer, clientId: 'https://app.example.com/oauth/client.json', ...loopback }),
  'a secret in the header': (issuer: string) =>
    secretBasic({ issuer, clientId: 'shop', clientSecret, ...loopback }),
  'a secret in the form': (issuer: string) =>
    secretPost({ issuer, clientId: 'shop', clientSecret, ...loopback }),
  'a key': (issuer: string) =>
    privateKey({
      issuer,
      clientId: 'signer',
      key: signing.privateKey,
      kid: 'k1',
      alg: 'ES256',
      ...loopback,
    }),
} satisfies Readonly<Record<string, (issuer: string) => Registration>>

/** A web application whose store, client and server are listened to. */
export interface Web {
  readonly app: WebApp
  /** One instance of it, with the store of the world unless another is given. */
  readonly consent: (store?: AuthorizationStore) => WebConsent
}

export async function web(
  found: Canaries,
  make: (issuer: string) => Registration = registrations['a secret in the form'],
  dpop?: DpopOptions,
  inner: AuthorizationStore = memoryAuthorizationStore(),
): Promise<Web> {
  const app = await webApp(options, dpop, { audit: found.audit, span: found.span })
  found.secrets.add('client_secret', clientSecret)
  found.secrets.add('key of the client', d)
  const own = recordedStore(found.secrets, inner)
  const registration = make(app.as.issuer)
  const bound = dpop === undefined ? {} : { dpop: true }
  const consent = (store = own) => {
    const made = app.instance({ registration, store: () => store, ...bound })
    found.seen('transport', made, made.transport('alice'), registration, store)
    return made
  }
  return { app, consent }
}

/** Everything a user does, from nothing to the sign-out. */
async function live(found: Canaries, { app, consent: instance }: Web, faults: Faults): Promise<void> {
  const { attempt, turn } = stepsAt(app.as, found, faults)
  async function signIn(consent: WebConsent, call: () => Promise<unknown>): Promise<void> {
    const required = await attempt(consentOf(call()))
    if (required === undefined) return
    found.caught(required)
    const callback = await app.as.consent(required.url)
    for (const user of ['alice', 'alice', 'mallory']) await attempt(consent.finish(user, callback))
  }
  const consent = instance()
  found.seen('request', await attempt(consent.begin('alice')))
  await signIn(consent, () => ask(consent))
  await attempt(ask(consent))
  await signIn(consent, () => write(consent))
  await attempt(write(consent))
  turn()
  for (const { token } of app.seen) if (token !== undefined) app.refused.add(token)
  await attempt(write(instance()))
  app.refused.add('*')
  await attempt(write(instance()))
  await attempt(consent.forget('alice'))
  await attempt(consent.close())
  await attempt(ask(consent))
  await app.stop()
}

const secrets = ['code', 'code_verifier', 'state', 'access_token', 'refresh_token', 'token']

export const webConsents: readonly Life[] = Object.entries(registrations).flatMap(([name, make]) =>
  [undefined, { required: true }].map((dpop) => ({
    name: `consent of a user of a web application, ${name}, ${dpop ? 'bound' : 'bearer'}`,
    secrets: dpop ? [...secrets, 'dpop proof', 'd'] : secrets,
    endpoints: ['metadata', 'token', 'revocation'],
    live: async (found, faults) => live(found, await web(found, make, dpop), faults),
  })),
)
