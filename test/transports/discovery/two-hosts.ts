import { inspect } from 'node:util'
import { expect } from 'vitest'
import { guardedHttp } from '../../../src/network/guarded-http.js'
import { publicClient } from '../../../src/oauth/registration/public.js'
import type { IssuerQuirks } from '../../../src/oauth/registration/quirks.js'
import type { Registration } from '../../../src/oauth/registration/registration.js'
import { loopbackServer } from '../../../src/testing/loopback-server.js'
import {
  discover,
  discoveryCache,
  type DiscoveredServer,
  type DiscoveryRequest,
} from '../../../src/transports/discovery/discover.js'

/** What stands at a path: a JSON document, or a whole answer. */
export type Page =
  object | { readonly status: number; readonly headers?: Record<string, string>; readonly text?: string }

/** A host that serves pages and tells what it was asked for. */
export interface Host {
  readonly origin: string
  readonly pages: Map<string, Page>
  readonly asked: string[]
  close(): Promise<void>
}

async function host(): Promise<Host> {
  const pages = new Map<string, Page>()
  const asked: string[] = []
  const server = await loopbackServer((request, response) => {
    const path = request.url ?? ''
    asked.push(path)
    const page = pages.get(path)
    if (page === undefined) response.writeHead(404).end('<html>canary</html>')
    else if ('status' in page) response.writeHead(page.status, page.headers).end(page.text)
    else response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(page))
  })
  return { origin: server.origin, pages, asked, close: () => server.close() }
}

export const resourcePath = '/.well-known/oauth-protected-resource/mcp'
export const rootPath = '/.well-known/oauth-protected-resource'
export const issuerPath = '/.well-known/oauth-authorization-server'

/** A resource and its authorization server on two hosts, both with all the metadata they should have. */
export async function twoHosts() {
  const resource = await host()
  const login = await host()
  const http = guardedHttp({ timeoutMilliseconds: 2_000 })
  const cache = discoveryCache()
  const endpoint = `${resource.origin}/mcp`
  const issuer = login.origin

  const resourceDocument = {
    resource: endpoint,
    authorization_servers: [issuer],
    scopes_supported: ['notes:read', 'notes:write'],
    bearer_methods_supported: ['header'],
  }
  const issuerDocument = {
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    response_types_supported: ['code'],
    grant_types_supported: ['authorization_code', 'refresh_token', 'client_credentials'],
    token_endpoint_auth_methods_supported: ['none', 'client_secret_basic'],
    code_challenge_methods_supported: ['S256'],
  }
  resource.pages.set(resourcePath, resourceDocument)
  login.pages.set(issuerPath, issuerDocument)

  function client(quirks: IssuerQuirks = {}, wanted: string = issuer): Registration {
    return publicClient({ issuer: wanted, clientId: 'notes-app', allowLoopbackHttp: true, quirks })
  }

  function find(request: Partial<DiscoveryRequest> = {}): Promise<DiscoveredServer | 'open'> {
    return discover({
      endpoint,
      registrations: client(),
      needs: 'authorization_code',
      http,
      cache,
      ...request,
    })
  }

  return {
    resource,
    login,
    http,
    cache,
    endpoint,
    issuer,
    resourceDocument,
    issuerDocument,
    client,
    discover: find,
    /** With which code the discovery fails, or `none`; its error tells nothing it should not. */
    async code(request: Partial<DiscoveryRequest> = {}): Promise<string> {
      const error = await find(request).then(
        () => undefined,
        (reason: unknown) => reason as Error & { code: string },
      )
      expect(inspect(error, { depth: 9 })).not.toContain('canary')
      return error?.code ?? 'none'
    },
    /** Changes members of the metadata of the authorization server. */
    say(members: object): void {
      login.pages.set(issuerPath, { ...issuerDocument, ...members })
    },
    async close() {
      await http.close()
      await resource.close()
      await login.close()
    },
  }
}

export type TwoHosts = Awaited<ReturnType<typeof twoHosts>>
