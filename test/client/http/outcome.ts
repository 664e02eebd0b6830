import type { Channel, ChannelRequest } from '../../../src/client/channel.js'
import {
  ConnectionLostError,
  HttpResponseError,
  InternalClientError,
  MalformedResponseError,
  OutcomeUnknownError,
  RpcError,
} from '../../../src/client/errors.js'

let count = 0

/** A request with an id of its own. */
export function ask(more: Partial<ChannelRequest> = {}): ChannelRequest {
  return { id: `request-${++count}`, method: 'tools/call', params: { name: 'echo' }, headers: {}, ...more }
}

/** How a request ended, in a word or two. */
export async function outcome(channel: Channel, request: ChannelRequest = ask()): Promise<string> {
  try {
    await channel.request(request)
    return 'result'
  } catch (error) {
    return error instanceof OutcomeUnknownError ? `unknown: ${failure(error.cause)}` : failure(error)
  }
}

function failure(error: unknown): string {
  if (error instanceof RpcError) return `rpc ${error.rpc} of ${error.status ?? 0}`
  if (error instanceof HttpResponseError) return `http ${error.status}`
  if (error instanceof MalformedResponseError) return 'malformed'
  if (error instanceof ConnectionLostError) return 'cut'
  if (error instanceof InternalClientError) return 'internal'
  return 'lost'
}
