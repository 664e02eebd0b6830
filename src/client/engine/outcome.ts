import { keptBack } from '../../transports/kept-back.js'
import { HttpResponseError, OutcomeUnknownError, RpcError } from '../errors.js'

/** Methods that change nothing, so that a bad answer leaves nothing unknown. */
const reads = new Set([
  'server/discover',
  'tools/list',
  'resources/list',
  'resources/templates/list',
  'resources/read',
  'prompts/list',
  'prompts/get',
  'completion/complete',
  'tasks/get',
])

/**
 * Whether a server refused a request by a code of the protocol before anything ran: over HTTP that is a 400. The same
 * code on HTTP 200 is the answer of a tool, which may have passed on what somebody else told it.
 */
export function refusedUnrun(error: unknown, rpc: number): error is RpcError {
  return (
    error instanceof RpcError && error.rpc === rpc && (error.status === undefined || error.status === 400)
  )
}

/**
 * What a failure is told as when something of the call was sent before it. A refusal in JSON-RPC, HTTP or by a transport is known,
 * unless an attempt was lost earlier; anything else leaves the outcome of a method that may change something unknown,
 * with the failure as its cause.
 */
export function afterSending(method: string, failure: unknown, lost = false): unknown {
  if (failure instanceof OutcomeUnknownError) return failure
  const refused = failure instanceof RpcError || failure instanceof HttpResponseError || keptBack(failure)
  return lost || (!refused && !reads.has(method)) ? new OutcomeUnknownError(failure) : failure
}
