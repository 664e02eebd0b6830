import type { IncomingMessage, ServerResponse } from 'node:http'
import { onTestFinished } from 'vitest'
import type { Clock } from '../../../src/resource-server/back-off.js'
import { introspectionResourceServerAt } from '../../../src/resource-server/introspection/introspection-resource-server.js'
import type { IntrospectionResourceServerOptions } from '../../../src/resource-server/introspection/options.js'
import { secretBasic, type ResourceServer } from '../../../src/resource-server/index.js'
import { loopbackServer } from '../../../src/testing/loopback-server.js'
import { resource, setClock } from '../fixture.js'

export const credentials = {
  clientId: 'test-client',
  clientSecret: 'test-secret',
  allowLoopbackHttp: true,
} as const

type Options = Partial<IntrospectionResourceServerOptions> & { readonly issuer: string }

/** An introspecting resource server with the test client's secret. */
export function introspecting(
  { issuer, ...options }: Options,
  clock: Clock = setClock(),
  limits = { waiting: 1_000, timeoutMilliseconds: 5_000 },
): ResourceServer {
  const registration = secretBasic({ issuer, ...credentials })
  const all = { resource, registration, allowLoopbackHttp: true, ...options }
  const server = introspectionResourceServerAt(all, clock, limits)
  onTestFinished(() => server.close())
  return server
}

/** One request as an introspection endpoint sees it. */
export interface Seen {
  readonly method: string | undefined
  readonly url: string | undefined
  readonly headers: IncomingMessage['headers']
  readonly form: URLSearchParams
}

/** What an introspection endpoint answers: members of an answer, a text, or what it does to the connection. */
export type Scripted =
  | Readonly<Record<string, unknown>>
  | { readonly status?: number; readonly type?: string; readonly text: string }
  | ((response: ServerResponse) => void)

export interface ScriptedEndpoint {
  readonly issuer: string
  readonly endpoint: string
  readonly seen: readonly Seen[]
  close(): Promise<void>
}

/** An introspection endpoint that answers as a script says. */
export async function scriptedEndpoint(script: (seen: Seen) => Scripted): Promise<ScriptedEndpoint> {
  const seen: Seen[] = []
  const host = await loopbackServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const { method, url, headers } = request
      const one = { method, url, headers, form: new URLSearchParams(Buffer.concat(chunks).toString()) }
      seen.push(one)
      answer(script(one), response)
    })
  })
  onTestFinished(() => host.close())
  return {
    issuer: host.origin,
    endpoint: `${host.origin}/introspect`,
    seen,
    close: () => host.close(),
  }
}

function answer(scripted: Scripted, response: ServerResponse): void {
  if (typeof scripted === 'function') {
    scripted(response)
    return
  }
  const {
    status = 200,
    type = 'application/json',
    text,
  } = scripted as { status?: number; type?: string; text?: string }
  response.writeHead(text === undefined ? 200 : status, { 'content-type': type })
  response.end(text ?? JSON.stringify(scripted))
}

/** A right answer about a token of the scripted issuer. */
export function activeAnswer(issuer: string, members: Readonly<Record<string, unknown>> = {}) {
  const now = Math.floor(Date.now() / 1000)
  const right = { active: true, iss: issuer, aud: resource, sub: 'alice', exp: now + 300 }
  return JSON.parse(JSON.stringify({ ...right, ...members })) as Record<string, unknown>
}
