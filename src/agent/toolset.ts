import type { Caller } from '../client/caller.js'
import type { ListedTool } from '../client/listed.js'
import type { Meta } from '../contract/presentation.js'
import type { ToolDefinition } from '../contract/tool.js'
import { DefinitionError } from '../errors.js'
import { isJsonObject, type JsonObject } from '../protocol/json.js'
import { modelNames } from './model-name.js'
import { toolContract } from './tool-contract.js'

/** One tool as the agent knows it. */
export interface AgentTool {
  readonly name: string
  /** The name a model provider takes. */
  readonly modelName: string
  readonly description: string
  readonly inputSchema: JsonObject
  readonly outputSchema: JsonObject | undefined
  readonly definition: ToolDefinition | undefined
  readonly forModel: boolean
  readonly forApp: boolean
  /** Digest of the schemas; a saved call is resumed only when it is still the same. */
  readonly contract: string
}

/** The tools of one server and the caller that reaches it. */
export interface Toolset {
  readonly name: string
  readonly caller: Caller
  /** By exact name. */
  readonly tools: ReadonlyMap<string, AgentTool>
  /** By the name a model uses. */
  readonly byModelName: ReadonlyMap<string, AgentTool>
}

export interface ToolsetOptions {
  /** Kept in saved calls; a call is resumed with the toolset of this name only. */
  readonly name: string
  /** Definitions, or tools as `tools/list` gives them, whose arguments and results the caller judges. */
  readonly tools: readonly (ToolDefinition | ListedTool)[]
  readonly caller: Caller
  /** Put before each tool's name towards the model, so that several toolsets can be offered at once. */
  readonly prefix?: string
}

/** Binds tools to the caller that runs them. Throws `ERR_DEFINITION` for names that are missing, doubled or collide. */
export function mcpToolset({ name, tools, caller, prefix = '' }: ToolsetOptions): Toolset {
  if (name === '') throw new DefinitionError('A toolset needs a name')
  const exact = tools.map((tool) => tool.name)
  if (exact.includes('')) throw new DefinitionError(`toolset ${JSON.stringify(name)}: a tool has no name`)
  const twice = exact.find((tool, at) => exact.indexOf(tool) !== at)
  if (twice !== undefined) {
    throw new DefinitionError(
      `toolset ${JSON.stringify(name)}: two tools are called ${JSON.stringify(twice)}`,
    )
  }
  const names = modelNames(exact, prefix)
  const known = tools.map((tool) => agentTool(tool, names.get(tool.name) ?? tool.name))
  return Object.freeze({
    name,
    caller,
    tools: new Map(known.map((tool) => [tool.name, tool])),
    byModelName: new Map(known.map((tool) => [tool.modelName, tool])),
  })
}

/** The definition of a tool that was declared here, with its parsers, which no listed tool has whatever it holds. */
export function definitionOf(tool: ToolDefinition | ListedTool): ToolDefinition | undefined {
  if (!('compiled' in tool)) return undefined
  const compiled = tool.compiled as Partial<ToolDefinition['compiled']> | null
  return typeof compiled?.input?.parse === 'function' ? tool : undefined
}

function agentTool(tool: ToolDefinition | ListedTool, modelName: string): AgentTool {
  const definition = definitionOf(tool)
  const listed = definition === undefined ? (tool as ListedTool) : listing(definition)
  const { name, description = '', inputSchema, outputSchema, _meta } = listed
  return Object.freeze({
    name,
    modelName,
    description,
    inputSchema,
    outputSchema,
    definition,
    forModel: visibleTo('model', _meta),
    forApp: visibleTo('app', _meta),
    contract: toolContract(name, inputSchema, outputSchema),
  })
}

function listing({ name, presentation: { description, meta }, compiled }: ToolDefinition): ListedTool {
  return {
    name,
    ...(description !== undefined && { description }),
    inputSchema: compiled.input.json,
    ...(compiled.output !== undefined && { outputSchema: compiled.output.json }),
    ...(meta !== undefined && { _meta: meta }),
  }
}

/** Who may see a tool (MCP Apps, `_meta.ui.visibility`); everybody when nothing is said, nobody when it is unreadable. */
function visibleTo(who: 'model' | 'app', meta: Meta | undefined): boolean {
  const ui = meta?.['ui']
  if (!isJsonObject(ui) || ui['visibility'] === undefined) return true
  return Array.isArray(ui['visibility']) && ui['visibility'].includes(who)
}
