import type { HandlerContext, RouteValues } from '../contract/context.js'
import type { Extension } from '../contract/extension.js'
import type { ToolDefinition } from '../contract/tool.js'
import type { JsonObject } from '../protocol/json.js'

/** A call that is taken over, besides its parsed input. */
interface DeferredCall {
  /** The arguments as they were sent. */
  readonly arguments: JsonObject
  readonly capabilities: JsonObject
  /** The values in the URL as they were sent. */
  readonly givenRoute: RouteValues
}

/** A tool of a server, with what takes its calls over if anything does. */
export interface OfferedTool {
  readonly definition: ToolDefinition
  readonly deferral?: Deferral
}

/** How calls of a tool go on after their answer, through an extension that the tools of a server share. */
export interface Deferral {
  /** The extension a client must declare on the call. */
  readonly extension: string
  /** Whether clients that did not declare it are refused instead of being answered at once. */
  readonly required: boolean
  /** The extension of a server with these tools; tools with the same function have one together. */
  readonly join: (tools: readonly OfferedTool[]) => Extension
  /** Takes a call over; gives the members of the answer, whose result type is `task`. */
  begin(input: unknown, context: HandlerContext, call: DeferredCall): unknown
}
