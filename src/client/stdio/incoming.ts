import { isUtf8 } from 'node:buffer'
import { isJsonObject, nestedDeeperThan, type JsonObject } from '../../protocol/json.js'

/** What a line of a server's output is. */
export type Incoming =
  | { readonly kind: 'answer'; readonly id: unknown; readonly message: JsonObject }
  | { readonly kind: 'notification'; readonly method: string; readonly params: JsonObject }
  /** Servers may not send these (MCP 2026-07-28, stdio). */
  | { readonly kind: 'request'; readonly method: string }
  /** Something that is no message of the protocol, such as a log line. */
  | { readonly kind: 'stray' }

/** Nesting of arrays and objects in a message. */
const deepest = 128
const byteOrderMark = '\uFEFF'
const stray: Incoming = { kind: 'stray' }

/**
 * Reads one line. Text that is not UTF-8 or is nested too deeply is never handed on, but whose answer it would have been
 * is still told, so that nobody waits for it.
 */
export function readLine(line: Buffer): Incoming {
  const text = line.toString('utf8')
  const message = parse(text)
  if (!isJsonObject(message)) return stray
  const sound = isUtf8(line) && !nestedDeeperThan(text, deepest)
  if (Object.hasOwn(message, 'method')) return sound ? readMethod(message) : stray
  if (!Object.hasOwn(message, 'id')) return stray
  return { kind: 'answer', id: message['id'], message: sound ? message : {} }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text.startsWith(byteOrderMark) ? text.slice(1) : text)
  } catch {
    return undefined
  }
}

function readMethod(message: JsonObject): Incoming {
  const { method, params = {} } = message
  if (message['jsonrpc'] !== '2.0' || typeof method !== 'string') return stray
  if (Object.hasOwn(message, 'id')) return { kind: 'request', method }
  return isJsonObject(params) ? { kind: 'notification', method, params } : stray
}
