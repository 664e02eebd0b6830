import { CastellanError } from '../errors.js'
import type { CompletedCall } from './completed-call.js'

/** What kind of failure a call met, for an exhaustive `switch`. */
export type CallErrorKind = CallError['kind']

/** Every error a caller throws besides the reason of an aborted signal. */
export type CallError =
  | RpcError
  | HttpResponseError
  | MalformedResponseError
  | InternalClientError
  | ToolExecutionError
  | OutcomeUnknownError
  | ConnectionLostError
  | SubscriptionCancelledError

/** The server answered with a JSON-RPC error: the call was refused or failed, and that is known. */
export class RpcError extends CastellanError {
  override readonly name: string = 'RpcError'
  readonly kind = 'rpc'
  /** The JSON-RPC code, such as -32602. */
  readonly rpc: number
  readonly data: unknown
  /** The HTTP status it came with, where there was one. */
  readonly status: number | undefined

  constructor(rpc: number, message: string, data?: unknown, status?: number) {
    super('ERR_RPC', message)
    this.rpc = rpc
    this.data = data
    this.status = status
  }
}

/** One thing that is wrong with an argument: where (a JSON Pointer), which rule says so, and in words. */
export interface ArgumentIssue {
  readonly path: string
  readonly constraint: string
  readonly message: string
}

/** The arguments do not fit the tool's schema. Found on this side: nothing was sent. Rejected values are not repeated. */
export class InvalidArgumentsError extends RpcError {
  override readonly name = 'InvalidArgumentsError'
  readonly issues: readonly ArgumentIssue[]

  constructor(issues: readonly ArgumentIssue[]) {
    const [first] = issues
    const words = first === undefined ? '' : `: ${first.path === '' ? '' : `${first.path} `}${first.message}`
    super(-32602, `Invalid arguments${words}`, { issues })
    this.issues = issues
  }
}

/** The server answered with an HTTP error and no JSON-RPC message. The message holds neither headers nor body. */
export class HttpResponseError extends CastellanError {
  override readonly name = 'HttpResponseError'
  readonly kind = 'http'
  readonly status: number
  /** The server's words, which could repeat a token: kept out of what a log shows of an error. */
  readonly #wwwAuthenticate: readonly string[]

  constructor(status: number, wwwAuthenticate: readonly string[] = []) {
    super('ERR_HTTP_RESPONSE', `The server answered with HTTP status ${status}`)
    this.status = status
    this.#wwwAuthenticate = wwwAuthenticate
  }

  /** Every `WWW-Authenticate` line, as received; neither logged nor in JSON with the rest. */
  get wwwAuthenticate(): readonly string[] {
    return this.#wwwAuthenticate
  }
}

/** The answer is not what the protocol or the schema of the tool promise. */
export class MalformedResponseError extends CastellanError {
  override readonly name = 'MalformedResponseError'
  readonly kind = 'malformed'

  constructor(message: string, options?: ErrorOptions) {
    super('ERR_MALFORMED_RESPONSE', message, options)
  }
}

/** The call could not be prepared on this side; nothing was sent. */
export class InternalClientError extends CastellanError {
  override readonly name = 'InternalClientError'
  readonly kind = 'internal'

  constructor(message: string, options?: ErrorOptions) {
    super('ERR_CLIENT', message, options)
  }
}

/** The tool ran and answered that it failed; the answer is kept as it came. */
export class ToolExecutionError extends CastellanError {
  override readonly name = 'ToolExecutionError'
  readonly kind = 'tool'
  readonly response: CompletedCall

  constructor(message: string, response: CompletedCall) {
    super('ERR_TOOL_EXECUTION', message)
    this.response = response
  }
}

/** The request was sent and its answer lost, so nobody here knows whether it ran; `cause` tells how it was lost. */
export class OutcomeUnknownError extends CastellanError {
  override readonly name = 'OutcomeUnknownError'
  readonly kind = 'unknown'

  constructor(cause: unknown) {
    super('ERR_OUTCOME_UNKNOWN', statusTold(cause), { cause })
  }
}

/** A cause can be anything, even what cannot be looked at. */
function statusTold(cause: unknown): string | undefined {
  try {
    return cause instanceof HttpResponseError ? `${cause.message}; the call may have run` : undefined
  } catch {
    return undefined
  }
}

/** The connection ended before the answer did: a cut stream, a dead process, a lost subscription. */
export class ConnectionLostError extends CastellanError {
  override readonly name = 'ConnectionLostError'
  readonly kind = 'connection'

  constructor(message?: string, options?: ErrorOptions) {
    super('ERR_CONNECTION_LOST', message, options)
  }
}

/** The server ended a subscription by cancelling it. */
export class SubscriptionCancelledError extends CastellanError {
  override readonly name = 'SubscriptionCancelledError'
  readonly kind = 'cancelled'

  constructor(message?: string) {
    super('ERR_SUBSCRIPTION_CANCELLED', message)
  }
}
