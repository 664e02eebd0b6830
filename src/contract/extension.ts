import type { ScopeRule } from '../oauth/scope.js'
import type { JsonObject } from '../protocol/json.js'
import type { Awaitable } from './access.js'
import type { HandlerContext } from './context.js'

/** A method an extension adds; clients must declare the extension to call it. */
export interface ExtensionMethod {
  /** The parameter that the `Mcp-Name` header repeats. */
  readonly nameParameter?: string
  readonly scopes?: ScopeRule
  /** Answers with the members of the result. */
  run(params: JsonObject, context: HandlerContext): Awaitable<Readonly<Record<string, unknown>>>
}

/** A protocol extension: its identifier, its settings and its methods (MCP 2026-07-28, versioning, "Extensions"). */
export interface Extension {
  /** With a reverse-DNS prefix, such as `com.example/reports`. */
  readonly id: string
  /** Sent in `capabilities.extensions`; `{}` when left out. */
  readonly settings?: JsonObject
  readonly methods?: Readonly<Record<string, ExtensionMethod>>
}
