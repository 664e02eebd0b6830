import { isJsonObject, type JsonObject } from '../protocol/json.js'
import { mapSubschemas } from '../protocol/subschemas.js'
import type { ToolFailure } from './failure.js'
import type { AgentTool, Toolset } from './toolset.js'

/** A tool as model providers take it. */
export interface ModelTool {
  readonly name: string
  readonly description: string
  readonly inputSchema: JsonObject
}

/** A failure and the tool it is about, by its exact name or the name the model used. */
export interface FailedTool {
  readonly tool: string
  readonly failure: ToolFailure
}

/** The tools a model may see: name, description and arguments; no tools for apps alone, no URL values, no metadata. */
export function modelTools(toolset: Toolset): readonly ModelTool[] {
  return [...toolset.tools.values()].filter(({ forModel }) => forModel).map(shown)
}

/**
 * The tools of the next turn after failures: all of them after `correct_call`, without the failed tool after
 * `replan`, none after `finish`.
 */
export function modelToolsAfter(toolset: Toolset, failures: readonly FailedTool[]): readonly ModelTool[] {
  if (failures.some(({ failure }) => failure.recovery.action === 'finish')) return []
  const hidden = new Set(
    failures
      .filter(({ failure }) => failure.recovery.action === 'replan')
      .map(({ tool }) => (toolset.tools.get(tool) ?? toolset.byModelName.get(tool))?.modelName),
  )
  return modelTools(toolset).filter(({ name }) => !hidden.has(name))
}

/** The tools an app may call, by their exact names. */
export function appTools(toolset: Toolset): readonly ModelTool[] {
  return [...toolset.tools.values()]
    .filter(({ forApp }) => forApp)
    .map((tool) => ({ ...shown(tool), name: tool.name }))
}

function shown({ modelName, description, inputSchema }: AgentTool): ModelTool {
  return { name: modelName, description, inputSchema: withoutHeaderNames(inputSchema) as JsonObject }
}

/** `x-mcp-header` tells a caller which header repeats an argument, and a model nothing. */
function withoutHeaderNames(schema: unknown): unknown {
  if (!isJsonObject(schema)) return schema
  const copy = mapSubschemas(schema, withoutHeaderNames)
  delete copy['x-mcp-header']
  return copy
}
