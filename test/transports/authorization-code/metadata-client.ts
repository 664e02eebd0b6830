import { clientMetadata } from 'castellan/fastify'
import { introspectionResourceServer, secretBasic } from 'castellan/resource-server'
import type { ClientDescription } from 'castellan/transports'
import Fastify from 'fastify'
import { exportJWK, generateKeyPair, type CryptoKey, type JWK } from 'jose'
import type { Configuration } from 'oidc-provider'
import { protectedServer, type ProtectedServer } from '../protected-server.js'
import { consentingProvider, type ConsentingProvider } from './consenting-provider.js'

export const documentUrl = 'https://app.example.com/oauth/client.json'

export interface KeyOfClient {
  readonly privateKey: CryptoKey
  readonly publicJwk: JWK
}

export async function keyOfClient(): Promise<KeyOfClient> {
  const { privateKey, publicKey } = await generateKeyPair('ES256', { extractable: true })
  return { privateKey, publicJwk: { ...(await exportJWK(publicKey)), kid: 'k1', alg: 'ES256', use: 'sig' } }
}

/** A provider that reads metadata documents of clients it was never told of, and a protected server that takes its tokens. */
export interface MetadataWorld {
  readonly provider: ConsentingProvider
  readonly server: ProtectedServer
  /** URLs that the provider has fetched, in order. */
  readonly fetched: readonly string[]
  /** Serves this document in place of the one before. */
  serve(description: ClientDescription): Promise<void>
  stop(): Promise<void>
}

interface MetadataWorldOptions {
  /** Tokens say nothing by themselves, and the server asks the provider about each. */
  readonly opaque?: boolean
  /** Tokens must be bound to a key. */
  readonly dpop?: boolean
  /** Whether the provider reads documents at all. Default true. */
  readonly reads?: boolean
}

/** Documents are at `https://app.example.com`, which this provider is told to find on loopback, and are read again each time. */
export async function metadataWorld(
  description: ClientDescription,
  { opaque = false, dpop = false, reads = true }: MetadataWorldOptions = {},
): Promise<MetadataWorld> {
  const fetched: string[] = []
  let document = await hosted(description)
  const provider = await consentingProvider(opaque ? [introspectingClient] : [], {
    clientDefaults: { id_token_signed_response_alg: 'ES256' },
    fetch(url, { headers, signal } = {}) {
      const asked = new Request(url).url
      fetched.push(asked)
      const there = asked.replace('https://app.example.com', document.origin)
      return fetch(there, { headers: headers ?? {}, signal: signal ?? null, redirect: 'manual' })
    },
    features: {
      ...(reads && {
        clientIdMetadataDocument: { enabled: true, ack: 'draft-02', cacheDuration: { min: 0, max: 0 } },
      }),
      ...(opaque && opaqueTokens),
    },
  })
  const guard = (resource: string) =>
    introspectionResourceServer({
      resource,
      registration: secretBasic({
        issuer: provider.issuer,
        clientId: introspectingClient.client_id,
        clientSecret: introspectingClient.client_secret,
        allowLoopbackHttp: true,
      }),
      allowLoopbackHttp: true,
    })
  const server = await protectedServer({
    ofUsers: true,
    issuer: provider.issuer,
    ...(opaque && { guard }),
    ...(dpop && { dpop: { required: true } }),
  })
  return {
    provider,
    server,
    fetched,
    async serve(changed) {
      await document.close()
      document = await hosted(changed)
    },
    async stop() {
      await server.stop()
      await provider.close()
      await document.close()
    },
  }
}

const introspectingClient = {
  client_id: 'notes-api',
  client_secret: 'a-secret-of-the-resource',
  redirect_uris: [],
  grant_types: [],
  response_types: [],
} as const

const opaqueTokens: NonNullable<Configuration['features']> = {
  introspection: { enabled: true, allowedPolicy: () => true },
  resourceIndicators: {
    enabled: true,
    getResourceServerInfo: (_, audience) => ({
      audience,
      scope: 'mcp notes:read notes:write',
      accessTokenFormat: 'opaque',
    }),
  },
}

/** The document behind the route of `castellan/fastify`, at the path of its own client id. */
async function hosted(description: ClientDescription) {
  const app = Fastify()
  await app.register(clientMetadata, description)
  const origin = await app.listen({ port: 0, host: '127.0.0.1' })
  return { origin, close: () => app.close() }
}
