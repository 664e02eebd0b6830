import type { WireError } from '../errors.js'
import type { JsonObject } from './json.js'
import type { MirroredParameter } from './mirrored-parameters.js'

/** Reads a request header by its lower-case name; absent where messages travel without headers. */
export type HeaderReader = (name: string) => string | undefined

export type ProgressToken = string | number

/** What one request says about itself, whatever its revision. */
export interface Envelope {
  readonly version: string
  readonly method: string
  readonly params: JsonObject
  readonly capabilities: JsonObject
  readonly progressToken?: ProgressToken
}

/** How long a result stays fresh (milliseconds) and who may share it (MCP 2026-07-28, "Caching"). */
export interface CacheHint {
  readonly ttlMs: number
  readonly scope: 'public' | 'private'
}

/** A result before its revision writes it: its members as JSON text without braces. */
export interface ResultBody {
  readonly members: string
  readonly resultType?: string
  readonly cache?: CacheHint
  readonly meta?: Readonly<Record<string, unknown>>
}

/** The structured value of a tool and its texts, before its revision writes them. */
export interface ToolOutcome {
  /** JSON text of the content blocks, without brackets. */
  readonly content: string
  /** Whether the author chose the content; otherwise the structured value is repeated as text. */
  readonly authored: boolean
  /** JSON text of the structured value. */
  readonly structured?: string
  readonly isError?: boolean
  readonly meta?: Readonly<Record<string, unknown>>
}

/** One revision of the protocol: how its requests are opened and its results written. */
export interface Revision {
  readonly version: string
  /** Whether a lost connection means that the caller no longer wants the answer. */
  readonly disconnectCancels: boolean
  /** Whether a call may be answered with questions to the user. */
  readonly asks: boolean
  /** Whether structured results are objects; otherwise they are any JSON value. */
  readonly objectResults: boolean
  /** Reads the envelope and checks it against the headers. Throws `ERR_META`, `ERR_HEADER`, `ERR_REQUEST`. */
  open(method: string, params: unknown, headers: HeaderReader | undefined): Envelope
  /** Checks the header that repeats the target's name. Throws `ERR_HEADER`. */
  checkName(name: unknown, headers: HeaderReader | undefined): void
  /** Checks the headers that repeat arguments. Throws `ERR_HEADER`. */
  checkParameters(
    list: readonly MirroredParameter[],
    args: JsonObject,
    headers: HeaderReader | undefined,
  ): void
  /** The result object as JSON text. `serverInfo` is the JSON text of the server's identity. */
  encode(body: ResultBody, serverInfo: string): string
  toolResult(outcome: ToolOutcome, wrapped: boolean): ResultBody
  /** The HTTP status and JSON-RPC code of an error. */
  failure(error: WireError): { readonly status: number; readonly rpc: number }
}
