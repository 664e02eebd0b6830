import { failure, type ToolFailure } from './failure.js'
import type { AgentTool } from './toolset.js'

/** The failure with the input it is about, when it can be corrected. */
export function withPriorInput(failed: ToolFailure, input: unknown, tool: AgentTool): ToolFailure {
  const { kind, message, recovery, cause } = failed
  if (recovery.action !== 'correct_call') return failed
  const examples = tool.inputSchema['examples']
  const example: unknown = Array.isArray(examples) ? examples[0] : undefined
  const told = {
    ...recovery,
    ...(hasJsonForm(input) && { priorInput: input }),
    ...(example !== undefined && { example }),
  }
  return failure(kind, message, told, cause)
}

function hasJsonForm(input: unknown): boolean {
  try {
    return (JSON.stringify(input) as string | undefined) !== undefined
  } catch {
    return false
  }
}
