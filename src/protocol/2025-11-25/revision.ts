import { WireError } from '../../errors.js'
import { isJsonObject } from '../json.js'
import { metaKey } from '../meta.js'
import type { Envelope, ResultBody, Revision, ToolOutcome } from '../revision.js'
import { readProgressToken } from '../2026-07-28/envelope.js'

/** MCP 2025-11-25 without sessions: a translation in front of the same dispatcher. */
export const legacy: Revision = {
  version: '2025-11-25',
  disconnectCancels: false,
  asks: false,
  objectResults: true,
  open,
  checkName: () => undefined,
  checkParameters: () => undefined,
  encode,
  toolResult,
  failure,
}

/** Capabilities of a stateless client are unknown, so none are assumed. */
function open(method: string, params: unknown): Envelope {
  if (params === undefined) return { version: legacy.version, method, params: {}, capabilities: {} }
  if (!isJsonObject(params)) throw new WireError('ERR_REQUEST', '`params` must be an object')
  const envelope = { version: legacy.version, method, params, capabilities: {} }
  const meta = params['_meta']
  if (meta === undefined) return envelope
  if (!isJsonObject(meta)) throw new WireError('ERR_PARAMS', '`params._meta` must be an object')
  const progressToken = readProgressToken(meta[metaKey.progressToken])
  return progressToken === undefined ? envelope : { ...envelope, progressToken }
}

/** Without `resultType`, caching hints and server identity, which strict older parsers do not know. */
function encode(body: ResultBody): string {
  if (body.meta === undefined) return `{${body.members}}`
  const meta = `"_meta":${JSON.stringify(body.meta)}`
  return body.members === '' ? `{${meta}}` : `{${body.members},${meta}}`
}

/** Structured values are objects here: others are wrapped as `{"value": …}`; all are repeated as text. */
function toolResult(outcome: ToolOutcome, wrapped: boolean): ResultBody {
  let members = `"content":[${outcome.content}]`
  if (outcome.structured !== undefined) {
    const structured = wrapped ? `{"value":${outcome.structured}}` : outcome.structured
    const text = `{"type":"text","text":${JSON.stringify(structured)}}`
    const content = outcome.content === '' ? text : `${outcome.content},${text}`
    members = `"content":[${content}],"structuredContent":${structured}`
  }
  if (outcome.isError === true) members += ',"isError":true'
  return outcome.meta === undefined ? { members } : { members, meta: outcome.meta }
}

/**
 * JSON-RPC errors travel on HTTP 200, since older clients read 404 as a lost session; only what cannot be read at all
 * is a 4xx.
 */
function failure(error: WireError): { status: number; rpc: number } {
  const unreadable =
    error.code === 'ERR_PARSE' || error.code === 'ERR_REQUEST' || error.code === 'ERR_VERSION'
  const status = unreadable || error.code === 'ERR_ROUTE' ? error.http : 200
  return { status, rpc: error.code === 'ERR_RESOURCE' ? -32002 : error.rpc }
}
