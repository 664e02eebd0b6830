import { createClient, httpCaller } from 'castellan/client'
import { testAuthorizationServer, type SignOnKind } from 'castellan/testing'
import {
  enterpriseTransport,
  idTokenIdentity,
  refreshTokenIdentity,
  samlIdentity,
  secretBasic,
  workloadIdentityTransport,
  type ClientTransport,
} from 'castellan/transports'
import { whoami, writing } from '../../fastify/guarded.js'
import { protectedServer } from '../../transports/protected-server.js'
import type { Canaries } from '../canaries.js'
import { recordedStore } from '../recorded-store.js'
import { canary } from '../secrets.js'
import { stepsAt, type Faults, type Life } from './life.js'

const atProvider = { clientId: 'host-at-idp', clientSecret: canary('secret-at-provider') }
const atServer = { clientId: 'host-at-server', clientSecret: canary('secret-at-server') }
const makers = { id_token: idTokenIdentity, saml2: samlIdentity, refresh_token: refreshTokenIdentity }
const loopback = { allowLoopbackHttp: true } as const

type Kind = SignOnKind | 'workload'
type World = Awaited<ReturnType<typeof world>>

async function world(found: Canaries) {
  const provider = await testAuthorizationServer({
    clients: [atProvider],
    assertions: { clientAt: () => atServer.clientId },
  })
  const assertions = { identityProviders: [provider.issuer], workloadIssuers: [provider.issuer] }
  const as = await testAuthorizationServer({ clients: [atServer], assertions })
  const heard = { audit: found.audit, span: found.span }
  const server = await protectedServer({ issuer: as.issuer, ofUsers: true, ...heard })
  return {
    provider,
    as,
    server,
    async stop() {
      await server.stop()
      await as.close()
      await provider.close()
    },
  }
}

function transportOf({ provider, as, server }: World, kind: Kind, found: Canaries): ClientTransport {
  const options = { endpoint: server.endpoint, store: recordedStore(found.secrets), ...loopback }
  if (kind === 'workload') {
    const assertion = () => provider.mint({ resource: as.issuer, subject: 'alice', header: { typ: 'JWT' } })
    return workloadIdentityTransport({ issuer: as.issuer, clientId: 'report', assertion, ...options })
  }
  const identity = makers[kind]({
    registration: secretBasic({ ...atProvider, issuer: provider.issuer, ...loopback }),
    subject: 'alice',
    source: () => provider.signOn({ clientId: atProvider.clientId, subject: 'alice', as: kind }),
  })
  found.seen('identity', identity)
  const registration = secretBasic({ ...atServer, issuer: as.issuer, ...loopback })
  return enterpriseTransport({ registration, identity, ...options })
}

async function live(kind: Kind, where: 'as' | 'provider', found: Canaries, faults: Faults): Promise<void> {
  const own = await world(found)
  for (const { clientSecret } of [atProvider, atServer]) found.secrets.add('client_secret', clientSecret)
  const transport = transportOf(own, kind, found)
  const client = createClient(httpCaller({ clientInfo: { name: 'host', version: '1.0.0' }, transport }))
  found.seen('transport', transport, client)
  const { attempt, turn } = stepsAt(own[where], found, faults)
  const call = () => attempt(client.call(whoami.definition, {}))
  await call()
  await attempt(client.call(writing.definition, {}))
  turn()
  for (const { token } of own.server.seen) if (token !== undefined) own.server.refused.add(token)
  await call()
  const altered = { error: 'access_denied', answer: { error_description: canary('words') } }
  for (const which of ['sign-on-exchange', 'redemption'] as const)
    for (const change of [
      altered,
      { answer: { token_type: 'mac' } },
      { claims: { aud: 'https://other.example' } },
    ]) {
      const end = own[which === 'redemption' ? 'as' : 'provider'].alter(which, change)
      await call()
      end()
    }
  own.server.refused.add('*')
  await call()
  await client.close()
  await own.stop()
}

function life(kind: Kind, where: 'as' | 'provider'): Life {
  const isWorkload = kind === 'workload'
  return {
    name: `${isWorkload ? 'a workload' : `a sign-on by ${kind}`}, ${where}`,
    secrets: ['access_token', 'assertion', ...(isWorkload ? [] : ['client_secret', 'subject_token'])],
    endpoints: ['metadata', 'token', ...(isWorkload ? [] : (['jwks'] as const))],
    live: (found, faults) => live(kind, where, found, faults),
  }
}

export const assertions: readonly Life[] = [
  ...(['id_token', 'saml2', 'refresh_token'] as const).flatMap((kind) => [
    life(kind, 'as'),
    life(kind, 'provider'),
  ]),
  life('workload', 'as'),
]
