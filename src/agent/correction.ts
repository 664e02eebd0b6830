import { argumentsOf } from './canonical-arguments.js'
import type { ToolFailure } from './failure.js'
import type { ToolCall } from './plan-calls.js'
import { withPriorInput } from './prior-input.js'
import type { Toolset } from './toolset.js'

/**
 * Adds what a model needs to correct its call: the arguments it sent and an example from the tool's schema. Only for
 * calls a model made; any other failure comes back as it is.
 */
export function withCorrection(toolset: Toolset, call: ToolCall, failed: ToolFailure): ToolFailure {
  const tool = toolset.tools.get(call.tool)
  if (call.providerCallId === undefined || tool === undefined) return failed
  return withPriorInput(failed, argumentsOf(call.arguments), tool)
}
