import type { ListedTool } from '../client/listed.js'
import type { ArgumentsFor } from '../client/typed/definitions.js'
import type { ToolDefinition } from '../contract/tool.js'
import type { JsonObject } from '../protocol/json.js'
import { canonicalArguments } from './canonical-arguments.js'
import { failure, replan, type ToolFailure } from './failure.js'
import { withPriorInput } from './prior-input.js'
import { toToolFailure } from './to-tool-failure.js'
import { definitionOf, type Toolset } from './toolset.js'

/** A call somebody wants made, valid and written down. */
export interface ToolRequest<Name extends string = string> {
  readonly tool: Name
  /** The JSON text of the arguments, the same on every round of the call. */
  readonly arguments: string
  /** The provider's id of the call, when a model asked for it. */
  readonly providerCallId?: string
}

/** What a model wants called, in the provider's words. */
export interface ModelCall {
  readonly id: string
  readonly name: string
  readonly input: unknown
}

type ArgumentsOf<Tool extends ToolDefinition | ListedTool> = Tool extends ToolDefinition
  ? ArgumentsFor<Tool>
  : JsonObject

/** A call your own code wants made. Throws `InvalidCallError` for arguments the tool does not take. */
export async function toolRequest<D extends ToolDefinition | ListedTool>(
  tool: D,
  args: ArgumentsOf<D>,
): Promise<ToolRequest<D['name']>> {
  return Object.freeze({ tool: tool.name, arguments: await canonicalArguments(definitionOf(tool), args) })
}

/** A call a model wants made, or what to tell the model. Never throws. */
export async function toolRequestFromModelCall(
  toolset: Toolset,
  { id, name, input }: ModelCall,
): Promise<ToolRequest | ToolFailure> {
  const tool = toolset.byModelName.get(name)
  if (tool?.forModel !== true) {
    const shown = typeof name === 'string' ? JSON.stringify(name.slice(0, 200)) : 'without a name'
    return failure('invalid_call', `There is no tool ${shown}`, replan)
  }
  try {
    const args = await canonicalArguments(tool.definition, input)
    return Object.freeze({ tool: tool.name, arguments: args, providerCallId: id })
  } catch (error) {
    return withPriorInput(toToolFailure(error), input, tool)
  }
}
