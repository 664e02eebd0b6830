import { createPrivateKey } from 'node:crypto'
import { memoryAuthorizationStore } from 'castellan/store'
import {
  authorizationCodeTransport,
  clientCredentialsTransport,
  enterpriseTransport,
  idTokenIdentity,
  privateKey,
  publicClient,
  publicClientMetadata,
  secretBasic,
  secretPost,
  workloadIdentityTransport,
  type ClientTransport,
  type Registrations,
} from 'castellan/transports'
import { decodeJwt } from 'jose'
import { ownRegistrations, redirectUri } from './own-registration.js'

/** What the runner tells a client that is to authorize itself. */
export type AuthContext = Readonly<Record<string, string>>

/** A transport, and how to take its user through the browser. */
export interface AuthorizedClient {
  readonly transport: ClientTransport
  /** Opens the URL of an authorization request and comes back. */
  consent(url: string): Promise<void>
}

type Clients = (context: AuthContext) => Registrations

const secret = (make: typeof secretBasic) => () => (issuer: string) =>
  make({ issuer, clientId: 'everything-client', clientSecret: 'everything', allowLoopbackHttp: true })

/** Scenarios that look for a registration by the client itself. */
const selfRegistered = [
  'auth/metadata-default',
  'auth/metadata-var1',
  'auth/metadata-var2',
  'auth/metadata-var3',
  'auth/authorization-server-migration',
]

/** Who the client is where it is not simply known by its name. */
const clients = new Map<string, Clients>([
  ...selfRegistered.map((scenario) => [scenario, ownRegistrations] as const),
  [
    'auth/basic-cimd',
    () => (issuer) =>
      publicClientMetadata({
        issuer,
        clientId: 'https://conformance-test.local/client-metadata.json',
        allowLoopbackHttp: true,
      }),
  ],
  ['auth/token-endpoint-auth-basic', secret(secretBasic)],
  ['auth/token-endpoint-auth-post', secret(secretPost)],
  ['auth/pre-registration', (context) => (issuer) => secretBasic(given(context, issuer))],
])

const known: Clients = () => (issuer) =>
  publicClient({ issuer, clientId: 'everything-client', allowLoopbackHttp: true })

type MakeTransport = (endpoint: string, context: AuthContext) => ClientTransport

/** Scenarios without a browser. */
const machines = new Map<string, MakeTransport>([
  [
    'auth/client-credentials-basic',
    (endpoint, context) =>
      clientCredentialsTransport({
        ...kept(endpoint),
        registration: (issuer) => secretBasic(given(context, issuer)),
      }),
  ],
  [
    'auth/client-credentials-jwt',
    (endpoint, context) =>
      clientCredentialsTransport({
        ...kept(endpoint),
        registration: (issuer) =>
          privateKey({
            ...given(context, issuer),
            key: createPrivateKey(context['private_key_pem'] ?? ''),
            kid: 'everything',
            alg: 'ES256',
          }),
      }),
  ],
  ['auth/enterprise-managed-authorization', enterprise],
  ['auth/wif-jwt-bearer', workload],
])

/** The suite's identity provider has a client without a secret and looks at none; ours always shows one. */
function enterprise(endpoint: string, context: AuthContext): ClientTransport {
  const { idp_id_token: idToken = '', idp_issuer: issuer = '', idp_client_id: clientId = '' } = context
  const atProvider = secretBasic({ issuer, clientId, clientSecret: 'not looked at', allowLoopbackHttp: true })
  return enterpriseTransport({
    ...kept(endpoint),
    registration: (server) => secretBasic(given(context, server)),
    identity: idTokenIdentity({
      registration: atProvider,
      subject: decodeJwt(idToken).sub ?? '',
      source: () => Promise.resolve(idToken),
    }),
  })
}

function workload(endpoint: string, context: AuthContext): ClientTransport {
  const { client_id: clientId = '', valid_jwt: jwt = '' } = context
  const issuer = decodeJwt(jwt).aud as string
  return workloadIdentityTransport({
    ...kept(endpoint),
    issuer,
    clientId,
    assertion: () => Promise.resolve(jwt),
  })
}

function given({ client_id: clientId = '', client_secret: clientSecret = '' }: AuthContext, issuer: string) {
  return { issuer, clientId, clientSecret, allowLoopbackHttp: true }
}

function kept(endpoint: string) {
  return { endpoint, store: memoryAuthorizationStore(), allowLoopbackHttp: true }
}

/** The transport that plays a scenario: everything is in memory, and everybody consents to everything. */
export function authorizedClient(scenario: string, endpoint: string, context: AuthContext): AuthorizedClient {
  const machine = machines.get(scenario)
  if (machine !== undefined) {
    return {
      transport: machine(endpoint, context),
      consent: () => Promise.reject(new Error('No browser is needed here')),
    }
  }
  const store = memoryAuthorizationStore()
  const web = authorizationCodeTransport.forWeb({
    ...kept(endpoint),
    registration: (clients.get(scenario) ?? known)(context),
    redirectUri,
    store: () => store,
    dpop: scenario.startsWith('auth/dpop'),
  })
  return {
    transport: web.transport('user'),
    async consent(url) {
      const answer = await fetch(url, { redirect: 'manual' })
      await web.finish('user', answer.headers.get('location') ?? '')
    },
  }
}
