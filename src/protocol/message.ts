import { WireError } from '../errors.js'
import { isJsonObject, nestedDeeperThan, type JsonObject } from './json.js'

/** Nesting of arrays and objects a body may have; deeper ones are refused before anything walks them. */
const deepestBody = 64

/**
 * Parses a body that must hold one JSON-RPC message. Throws `ERR_PARSE` for what is not JSON and `ERR_REQUEST` for a
 * batch, a scalar or a body nested too deeply (MCP 2026-07-28, Streamable HTTP, "Sending Messages").
 */
export function parseBody(text: string): JsonObject {
  if (nestedDeeperThan(text, deepestBody)) {
    throw new WireError('ERR_REQUEST', `The body is nested deeper than ${deepestBody} levels`)
  }
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw new WireError('ERR_PARSE')
  }
  if (!isJsonObject(value)) throw new WireError('ERR_REQUEST')
  return value
}

/** What a body is: a request or notification has a method, a response has a result or an error. */
export type MessageKind = 'request' | 'notification' | 'response'

/** Judges the JSON-RPC envelope. Throws `ERR_REQUEST` (JSON-RPC 2.0, sections 4 and 5). */
export function messageKind(body: JsonObject): MessageKind {
  if (body['jsonrpc'] !== '2.0') throw new WireError('ERR_REQUEST', '`jsonrpc` must be "2.0"')
  if (Object.hasOwn(body, 'method')) {
    if (typeof body['method'] !== 'string') throw new WireError('ERR_REQUEST', '`method` must be a string')
    return Object.hasOwn(body, 'id') ? 'request' : 'notification'
  }
  if (Object.hasOwn(body, 'result') || Object.hasOwn(body, 'error')) return 'response'
  throw new WireError('ERR_REQUEST', '`method` is missing')
}

/** The JSON text of an error reply; `id` is the JSON text of the request's id and is left out when unknown. */
export function errorReply(id: string | undefined, rpc: number, message: string, data?: unknown): string {
  const error = JSON.stringify({ code: rpc, message, data })
  return id === undefined
    ? `{"jsonrpc":"2.0","error":${error}}`
    : `{"jsonrpc":"2.0","id":${id},"error":${error}}`
}
