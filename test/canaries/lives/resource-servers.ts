import { defineTool } from 'castellan'
import { handle } from 'castellan/fastify'
import {
  introspectionResourceServer,
  jwtResourceServer,
  secretBasic,
  secretPost,
  tokenExchange,
  type ResourceServer,
} from 'castellan/resource-server'
import { testAuthorizationServer, type TestAuthorizationServer } from 'castellan/testing'
import { badTokenKinds } from '../../../src/testing/bad-token.js'
import { protectedServer, type ProtectedServer } from '../../transports/protected-server.js'
import { whoami, writing } from '../../fastify/guarded.js'
import { modern } from '../../wire.js'
import type { Canaries } from '../canaries.js'
import { canary } from '../secrets.js'
import { stepsAt, type Faults, type Life } from './life.js'

const client = { clientId: 'notes-api', clientSecret: canary('client-secret') }
const loopback = { allowLoopbackHttp: true } as const

interface Kind {
  readonly guard: (as: TestAuthorizationServer, resource: string) => ResourceServer
  readonly isOpaque: boolean
}

const registrationOf = ({ issuer }: TestAuthorizationServer) =>
  secretBasic({ ...client, issuer, ...loopback })

const kinds: Readonly<Record<string, Kind>> = {
  'signed tokens': {
    guard: ({ issuer }, resource) => jwtResourceServer({ issuer, resource, ...loopback }),
    isOpaque: false,
  },
  'opaque tokens': {
    guard: (as, resource) =>
      introspectionResourceServer({ registration: registrationOf(as), resource, ...loopback }),
    isOpaque: true,
  },
  'opaque tokens, asked about at an address with a secret in its query': {
    guard: ({ issuer, introspectionEndpoint }, resource) =>
      introspectionResourceServer({
        registration: secretPost({ ...client, issuer, ...loopback }),
        endpoint: `${introspectionEndpoint}?sig=${encodeURIComponent(canary('sig'))}`,
        resource,
        ...loopback,
      }),
    isOpaque: true,
  },
  'opaque tokens with signed answers': {
    guard: (as, resource) =>
      introspectionResourceServer({
        registration: registrationOf(as),
        signedResponse: 'required',
        resource,
        ...loopback,
      }),
    isOpaque: true,
  },
}

const calendar = (exchange: ReturnType<typeof tokenExchange>) =>
  handle(
    defineTool({ name: 'calendar', description: 'Calls an API for its caller', scopes: [] }),
    async (_input, { principal, signal }) => {
      const { accessToken } = await exchange(principal, { signal })
      return `${accessToken.length} characters`
    },
  )

/** Ways in which somebody shows a token. */
function ways(server: ProtectedServer, token: string): readonly (() => Promise<string>)[] {
  const { body, headers } = modern('tools/call', { name: 'calendar', arguments: {} })
  const post =
    (extra: Record<string, string>, query = '') =>
    async () => {
      const request = { method: 'POST', headers: { ...headers, ...extra }, body: JSON.stringify(body) }
      return (await fetch(server.endpoint + query, request)).text()
    }
  return [
    post({ authorization: `Bearer ${token}` }),
    post({ authorization: `bearer  ${token}` }),
    post({}, `?access_token=${encodeURIComponent(token)}`),
    post({ authorization: `Bearer ${token}, Bearer ${token}` }),
    post({ authorization: `DPoP ${token}`, dpop: token }),
    post({ authorization: `Basic ${token}` }),
    post({ authorization: `Bearer ${token}`, 'content-type': 'text/plain' }),
    post({ authorization: `Bearer ${token}`, 'mcp-method': 'tools/list' }),
    post({ authorization: `Bearer ${token}`, 'mcp-protocol-version': token }),
  ]
}

async function live({ guard, isOpaque }: Kind, found: Canaries, faults: Faults): Promise<void> {
  const as = await testAuthorizationServer({ clients: [client] })
  const exchange = tokenExchange({
    registration: registrationOf(as),
    resource: 'https://calendar.example.com',
    ...loopback,
  })
  const server = await protectedServer({
    guard(resource) {
      const made = guard(as, resource)
      found.seen('resource server', made, exchange)
      return made
    },
    tools: [whoami, writing, calendar(exchange)],
    audit: found.audit,
    span: found.span,
  })
  found.secrets.add('client_secret', client.clientSecret)
  const { attempt, turn } = stepsAt(as, found, faults)
  const options = { resource: server.endpoint, scopes: ['mcp'] }
  const good = async (changes: object = {}) =>
    isOpaque ? as.mintOpaque({ ...options, ...changes }) : as.mint({ ...options, ...changes })
  const isWell = faults.early === undefined && faults.late === undefined
  async function shown(token: string): Promise<void> {
    for (const way of ways(server, token).slice(0, isWell ? undefined : 2)) await attempt(way())
  }
  await shown(await good())
  await shown(await good({ resource: 'https://other.example.com/mcp' }))
  await shown(await good({ expiresInSeconds: -60 }))
  await shown(await good({ subject: undefined, claims: { sub: undefined } }))
  if (!isOpaque && isWell) for (const kind of badTokenKinds) await shown(await as.mintBad(kind, options))
  turn()
  const late = await good()
  await shown(late)
  as.revoke(late)
  await shown(late)
  await exchange.close()
  await server.stop()
  await as.close()
}

export const resourceServers: readonly Life[] = Object.entries(kinds).map(([name, kind]) => ({
  name: `a resource server for ${name}`,
  secrets: [
    'access_token',
    'dpop proof',
    'client_secret',
    'subject_token',
    ...(kind.isOpaque ? ['token'] : []),
  ],
  endpoints: kind.isOpaque ? ['metadata', 'introspection', 'token', 'jwks'] : ['metadata', 'jwks', 'token'],
  live: (found, faults) => live(kind, found, faults),
}))
