import type { FastifyCorsOptions } from '@fastify/cors'
import type { BoundTool } from '../server/tools.js'

const requestHeaders = [
  'Authorization',
  'Content-Type',
  'Accept',
  'MCP-Protocol-Version',
  'Mcp-Method',
  'Mcp-Name',
  'Mcp-Session-Id',
  'Last-Event-ID',
  'DPoP',
]

/** What browsers of the listed origins may send and read: never cookies, and the challenge on every answer. */
export function browserAccess(origins: ReadonlySet<string>, tools: readonly BoundTool[]): FastifyCorsOptions {
  const parameters = tools.flatMap(({ definition }) =>
    definition.compiled.mirrored.map(({ name }) => `Mcp-Param-${name}`),
  )
  return {
    origin: [...origins],
    methods: ['POST'],
    allowedHeaders: [...new Set([...requestHeaders, ...parameters])],
    exposedHeaders: ['WWW-Authenticate', 'DPoP-Nonce', 'Retry-After'],
    credentials: false,
    maxAge: 600,
    strictPreflight: false,
  }
}
