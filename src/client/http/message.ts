import { isJsonObject, nestedDeeperThan, type JsonObject } from '../../protocol/json.js'
import { MalformedResponseError, RpcError, type HttpResponseError } from '../errors.js'

/** Parses the text of one message from a server. Throws `MalformedResponseError`, which never repeats the text. */
export function parseMessage(text: string, depth: number): JsonObject {
  if (nestedDeeperThan(text, depth)) {
    throw new MalformedResponseError(`The message is nested deeper than ${depth} levels`)
  }
  let message: unknown
  try {
    message = JSON.parse(text)
  } catch {
    throw new MalformedResponseError('The message is not valid JSON')
  }
  if (!isJsonObject(message)) throw new MalformedResponseError('The message is not a JSON object')
  if (message['jsonrpc'] !== '2.0') throw new MalformedResponseError('`jsonrpc` of the message is not "2.0"')
  return message
}

/** An answer that settles a request: what it gave, or that it did not run. */
export type Verdict = { readonly result: JsonObject } | { readonly refusal: RpcError | HttpResponseError }

/**
 * Reads a message as the answer to request `id`. Throws `MalformedResponseError` for what answers nothing or something
 * else. An error may come without id, or with null, when the server could not read it.
 */
export function verdictOf(message: JsonObject, id: string, status: number): Verdict {
  if (Object.hasOwn(message, 'method')) throw new MalformedResponseError('The message is not an answer')
  const failed = Object.hasOwn(message, 'error')
  if (failed === Object.hasOwn(message, 'result')) {
    throw new MalformedResponseError('The answer must have either a result or an error')
  }
  const own = message['id']
  if (own !== id && !(failed && (own === undefined || own === null))) {
    throw new MalformedResponseError('The answer belongs to another request')
  }
  if (failed) return { refusal: rpcError(message['error'], status) }
  const result = message['result']
  if (!isJsonObject(result)) throw new MalformedResponseError('The result is not an object')
  return { result }
}

function rpcError(error: unknown, status: number): RpcError {
  if (!isJsonObject(error)) throw new MalformedResponseError('The error is not an object')
  const { code, message, data } = error
  if (typeof code !== 'number' || !Number.isInteger(code) || typeof message !== 'string') {
    throw new MalformedResponseError('The error lacks an integer code or a message')
  }
  return new RpcError(code, message, data, status)
}
