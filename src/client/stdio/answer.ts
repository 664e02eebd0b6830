import { isJsonObject, type JsonObject } from '../../protocol/json.js'
import { MalformedResponseError, RpcError } from '../errors.js'

/**
 * The `result` of a JSON-RPC response. Throws `RpcError` for an error response and `MalformedResponseError` for what
 * is neither (JSON-RPC 2.0, section 5).
 */
export function resultOf(message: JsonObject): JsonObject {
  const { jsonrpc, result, error } = message
  const failed = Object.hasOwn(message, 'error')
  if (jsonrpc !== '2.0' || failed === Object.hasOwn(message, 'result')) {
    throw new MalformedResponseError('The answer is not a JSON-RPC 2.0 response')
  }
  if (failed) throw rpcError(error)
  if (!isJsonObject(result)) throw new MalformedResponseError('`result` of the answer is not an object')
  return result
}

function rpcError(error: unknown): RpcError {
  if (isJsonObject(error) && Number.isInteger(error['code']) && typeof error['message'] === 'string') {
    return new RpcError(error['code'] as number, error['message'], error['data'])
  }
  throw new MalformedResponseError('`error` of the answer is not a JSON-RPC error')
}
