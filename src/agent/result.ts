import type { CompletedCall } from '../client/completed-call.js'
import { MalformedResponseError, ToolExecutionError } from '../client/errors.js'
import type { CallFailed, CallSucceeded } from './outcome.js'
import { toToolFailure } from './to-tool-failure.js'
import type { AgentTool } from './toolset.js'

/** Any thrown value as an outcome. */
export function failedBy(error: unknown): CallFailed {
  return { status: 'failed', failure: toToolFailure(error) }
}

/** Reads a finished call against the tool: a result where one is declared and none where not, both checked. */
export async function completed(
  tool: AgentTool,
  response: CompletedCall,
): Promise<CallSucceeded | CallFailed> {
  try {
    if (response.isError) throw new ToolExecutionError('The tool failed', response)
    const { content, metadata } = response
    const value = await structuredValue(tool, response)
    return { status: 'ok', ...value, content, ...(metadata !== undefined && { metadata }) }
  } catch (error) {
    return failedBy(error)
  }
}

async function structuredValue(
  tool: AgentTool,
  response: CompletedCall,
): Promise<{ readonly value?: unknown }> {
  const { structuredContent: value } = response
  if (value === undefined) {
    if (tool.outputSchema === undefined) return {}
    throw new MalformedResponseError('The tool declares a structured result and gave none')
  }
  if (tool.definition === undefined) return { value }
  const output = tool.definition.compiled.output
  if (output === undefined)
    throw new MalformedResponseError('The tool declares no structured result and gave one')
  const parsed = await output.parse(value)
  if (!parsed.ok) throw new MalformedResponseError('The structured result does not match its schema')
  return { value: parsed.value }
}
