/** One row of the error table: how a failure is told in JSON-RPC, in HTTP (2026-07-28) and in words. */
export interface ErrorRow {
  readonly rpc?: number
  readonly http?: number
  readonly text: string
}

/** Every error code Castellan uses. `docs/errors.md` is generated from this table. */
export const errorTable = {
  ERR_PARSE: { rpc: -32700, http: 400, text: 'The body is not valid JSON' },
  ERR_REQUEST: { rpc: -32600, http: 400, text: 'The body is not one JSON-RPC 2.0 request or notification' },
  ERR_META: { rpc: -32602, http: 400, text: 'The request `_meta` is missing or malformed' },
  ERR_HEADER: {
    rpc: -32020,
    http: 400,
    text: 'A request header is missing, malformed or differs from the body',
  },
  ERR_CAPABILITY: {
    rpc: -32021,
    http: 400,
    text: 'The request needs a capability the client did not declare',
  },
  ERR_VERSION: { rpc: -32022, http: 400, text: 'The protocol version is not served' },
  ERR_METHOD: { rpc: -32601, http: 404, text: 'The method does not exist here' },
  ERR_ROUTE: { rpc: -32602, http: 400, text: 'A value in the URL is invalid' },
  ERR_PARAMS: { rpc: -32602, http: 200, text: 'The request parameters are invalid' },
  ERR_TARGET: { rpc: -32602, http: 200, text: 'No such tool, prompt or cursor' },
  ERR_RESOURCE: { rpc: -32602, http: 200, text: 'Resource not found' },
  ERR_INTERNAL: { rpc: -32603, http: 200, text: 'Internal error' },
  ERR_MEDIA_TYPE: { rpc: -32600, http: 415, text: 'The body must be application/json' },
  ERR_ACCEPT: { rpc: -32600, http: 406, text: 'The client accepts neither JSON nor an event stream' },
  ERR_STREAMS: { rpc: -32603, http: 429, text: 'The caller has too many listen streams open' },
  ERR_BODY_SIZE: { rpc: -32600, http: 413, text: 'The body is larger than this server reads' },
  ERR_BODY: { rpc: -32600, http: 400, text: 'The body could not be read' },
  ERR_DEFINITION: { text: 'A tool, resource or prompt is defined wrongly' },
  ERR_OPTION: { text: 'An option is missing or invalid' },
  ERR_RPC: { text: 'The server answered with a JSON-RPC error' },
  ERR_HTTP_RESPONSE: { text: 'The server answered with an HTTP error' },
  ERR_MALFORMED_RESPONSE: { text: 'The answer breaks the protocol or its schema' },
  ERR_CLIENT: { text: 'The call could not be prepared; nothing was sent' },
  ERR_TOOL_EXECUTION: { text: 'The tool answered that it failed' },
  ERR_OUTCOME_UNKNOWN: { text: 'The answer was lost; the call may have run' },
  ERR_CONNECTION_LOST: { text: 'The server is not reached, or the connection ended before the answer did' },
  ERR_SUBSCRIPTION_CANCELLED: { text: 'The server cancelled the subscription' },
  ERR_INVALID_CALL: { text: 'The arguments do not match the schema of the tool' },
  ERR_OUTPUT_CONTRACT: { text: 'What a planner gave back cannot be carried out as a whole' },
  ERR_UNSUPPORTED_RECORD: { text: 'A saved call is of another version, toolset or tool' },
  ERR_INVALID_ANSWERS: { text: 'The answers do not match what was asked' },
  ERR_CALL_IN_PROGRESS: { text: 'Another worker took this step of the call and has not settled it' },
  ERR_STORE_UNAVAILABLE: { text: 'The store of grants cannot be used now; nothing was written' },
  ERR_STORE_CONFLICT: { text: 'Somebody else may have changed the record; this was not written' },
  ERR_STORE_UNCERTAIN: { text: 'The record may or may not have been written' },
  ERR_STORE_CORRUPT: { text: 'A record is there and cannot be opened' },
  ERR_DISCOVERY: { text: 'Metadata of the resource or its authorization server is missing or not valid' },
  ERR_REGISTRATION: { text: 'No registration fits an authorization server the resource names' },
  ERR_CONSENT_REQUIRED: { text: 'The user has to consent in a browser; nothing was sent' },
  ERR_CONSENT: { text: 'The consent was refused, expired or was not the answer to what was asked' },
  ERR_TOKEN_ENDPOINT: { text: 'The token endpoint refused or answered against the protocol' },
  ERR_INSUFFICIENT_SCOPE: { text: 'The token lacks scopes that the operation needs' },
  ERR_INVALID_TOKEN: { text: 'The resource refuses the token' },
  ERR_AUTHORIZATION_UNAVAILABLE: { text: 'An authorization server cannot answer now; the grant is kept' },
  ERR_NO_CALLER_TOKEN: {
    text: 'The principal is not one a guard gave for a token of this issuer: there is no token to exchange',
  },
  ERR_IDENTITY_REQUIRED: { text: 'The user has to sign in at the host again' },
} as const satisfies Record<string, ErrorRow>

export type ErrorCode = keyof typeof errorTable

/** Base of every error Castellan throws; tell them apart by `code`. Messages never hold a secret. */
export class CastellanError extends Error {
  override readonly name: string = 'CastellanError'
  readonly code: ErrorCode

  constructor(code: ErrorCode, message?: string, options?: ErrorOptions) {
    super(message ?? errorTable[code].text, options)
    this.code = code
  }
}

/** A definition or an option is wrong. Thrown at start, before anything listens. */
export class DefinitionError extends CastellanError {
  override readonly name = 'DefinitionError'

  constructor(message: string, code: 'ERR_DEFINITION' | 'ERR_OPTION' = 'ERR_DEFINITION') {
    super(code, message)
  }
}

type WireCode = {
  [C in ErrorCode]: (typeof errorTable)[C] extends { rpc: number } ? C : never
}[ErrorCode]

/** A failure that is answered as a JSON-RPC error (MCP 2026-07-28, basic, "Error codes"). */
export class WireError extends CastellanError {
  override readonly name = 'WireError'
  readonly rpc: number
  readonly http: number
  readonly data: unknown

  constructor(code: WireCode, message?: string, data?: unknown) {
    super(code, message)
    this.rpc = errorTable[code].rpc
    this.http = errorTable[code].http
    this.data = data
  }
}

/**
 * Thrown by a handler to speak to the model: the message becomes the text of a tool result with
 * `isError: true` (MCP 2026-07-28, tools, "Error handling"). Anything else a handler throws is logged and masked.
 */
export class ToolError extends Error {
  override readonly name = 'ToolError'
}
