import { createServer, type McpServer, type ServerOptions } from '../../src/server/server.js'
import type { Answer } from '../../src/server/dispatch.js'
import type { Principal } from '../../src/oauth/principal.js'
import { meta } from '../wire.js'

export const silent = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
}

export function server(options: Partial<ServerOptions> = {}): McpServer {
  return createServer({ name: 'test', version: '1', authenticated: false, ...options })
}

export function principal(scopes: readonly string[], subject = 'alice'): Principal {
  return { issuer: 'https://login.example.com', subject, scopes, expiresAt: 4e9, claims: {} }
}

export interface Told {
  readonly kind: Answer['kind']
  readonly json: any
  readonly notifications: any[]
}

/** Dispatches one request without HTTP, as an in-process caller does. */
export async function ask(
  on: McpServer,
  method: string,
  params: Record<string, unknown> = {},
  who?: Principal,
): Promise<Told> {
  const notifications: any[] = []
  const body = { jsonrpc: '2.0', id: 1, method, params: { _meta: meta(), ...params } }
  const answer = await on.dispatch(
    { body, id: '1' },
    {
      principal: who,
      log: silent,
      notify: (text) => void notifications.push(JSON.parse(text)),
      signal: () => new AbortController().signal,
    },
  )
  const json = 'payload' in answer ? JSON.parse(answer.payload.toString()) : undefined
  return { kind: answer.kind, json, notifications }
}
