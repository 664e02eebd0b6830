/** Reserved `_meta` keys (MCP 2026-07-28, basic, "_meta"). */
export const metaKey = {
  protocolVersion: 'io.modelcontextprotocol/protocolVersion',
  clientCapabilities: 'io.modelcontextprotocol/clientCapabilities',
  clientInfo: 'io.modelcontextprotocol/clientInfo',
  logLevel: 'io.modelcontextprotocol/logLevel',
  serverInfo: 'io.modelcontextprotocol/serverInfo',
  subscriptionId: 'io.modelcontextprotocol/subscriptionId',
  progressToken: 'progressToken',
} as const

const label = '[A-Za-z](?:[A-Za-z0-9-]*[A-Za-z0-9])?'
const keySyntax = new RegExp(
  `^(?:(${label}(?:\\.${label})*)/)?(?:[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?)?$`,
)
const traceKeys = new Set(['traceparent', 'tracestate', 'baggage'])

/**
 * Why a host may not use a `_meta` key of its own, or undefined when it may: wrong syntax, or a prefix whose second
 * label is `modelcontextprotocol` or `mcp`.
 */
export function metaKeyProblem(key: string): string | undefined {
  if (traceKeys.has(key)) return undefined
  const parts = keySyntax.exec(key)
  if (parts === null) return `_meta key ${JSON.stringify(key)} is not a valid key`
  const second = parts[1]?.split('.')[1]
  if (second === 'modelcontextprotocol' || second === 'mcp')
    return `_meta key ${JSON.stringify(key)} is reserved`
  return undefined
}
