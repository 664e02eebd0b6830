import { createClient, httpCaller, type Client } from 'castellan/client'
import { memoryAuthorizationStore } from 'castellan/store'
import {
  testAuthorizationServer,
  type AssertionRules,
  type SignOn,
  type SignOnKind,
  type TestAuthorizationServer,
} from 'castellan/testing'
import {
  enterpriseTransport,
  idTokenIdentity,
  refreshTokenIdentity,
  samlIdentity,
  secretBasic,
  type ClientTransport,
  type EnterpriseTransportOptions,
} from 'castellan/transports'
import { protectedServer, type ProtectedServer } from '../protected-server.js'

export const atProvider = { clientId: 'host-at-idp', clientSecret: 'canary-idp-secret' }
export const atServer = { clientId: 'host-at-server', clientSecret: 'canary-server-secret' }

export interface Enterprise {
  readonly idp: TestAuthorizationServer
  readonly as: TestAuthorizationServer
  readonly server: ProtectedServer
  readonly identity: (kind?: SignOnKind, changes?: object) => EnterpriseTransportOptions['identity']
  readonly transport: (options?: Partial<EnterpriseTransportOptions>) => ClientTransport
  /** What the token endpoints were asked, by grant. */
  readonly legs: () => readonly string[]
  stop(): Promise<void>
}

const makers = { id_token: idTokenIdentity, saml2: samlIdentity, refresh_token: refreshTokenIdentity }
export const shortNames = new Map([
  ['urn:ietf:params:oauth:grant-type:token-exchange', 'exchange'],
  ['urn:ietf:params:oauth:grant-type:jwt-bearer', 'redeem'],
])

/** An identity provider, an authorization server that trusts it, and an MCP server that names the latter. */
export async function enterprise(rules: AssertionRules = {}): Promise<Enterprise> {
  const idp = await testAuthorizationServer({
    clients: [atProvider],
    assertions: { clientAt: () => atServer.clientId, ...rules },
  })
  const as = await testAuthorizationServer({
    clients: [atServer],
    assertions: { identityProviders: [idp.issuer], ...rules },
  })
  const server = await protectedServer({ issuer: as.issuer, ofUsers: true })
  const open: ClientTransport[] = []
  const given: SignOn = { clientId: atProvider.clientId, subject: 'alice' }
  const identity: Enterprise['identity'] = (kind = 'id_token', changes = {}) =>
    makers[kind]({
      registration: secretBasic({ ...atProvider, issuer: idp.issuer, allowLoopbackHttp: true }),
      subject: 'alice',
      source: () => idp.signOn({ ...given, as: kind }),
      ...changes,
    })
  return {
    idp,
    as,
    server,
    identity,
    transport(options = {}) {
      const made = enterpriseTransport({
        endpoint: server.endpoint,
        registration: secretBasic({ ...atServer, issuer: as.issuer, allowLoopbackHttp: true }),
        identity: identity(),
        store: memoryAuthorizationStore(),
        allowLoopbackHttp: true,
        ...options,
      })
      open.push(made)
      return made
    },
    legs: () =>
      [...idp.received, ...as.received].map(
        ({ parameters }) => shortNames.get(parameters['grant_type'] ?? '') ?? '?',
      ),
    async stop() {
      await Promise.all(open.map((each) => each.close()))
      await server.stop()
      await idp.close()
      await as.close()
    },
  }
}

export function over(transport: ClientTransport): Client {
  return createClient(httpCaller({ clientInfo: { name: 'host', version: '1.0.0' }, transport }))
}
