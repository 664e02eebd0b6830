import type { ContentBlock } from '../contract/content.js'
import { isToolResult } from '../contract/result.js'
import { presented } from '../contract/presentation.js'
import { legacyOutputSchema, legacyWraps } from '../contract/schema/legacy-output.js'
import type { ToolDefinition } from '../contract/tool.js'
import { ToolError, WireError } from '../errors.js'
import type { ScopeAlternatives } from '../oauth/scope.js'
import { isJsonObject, type JsonObject } from '../protocol/json.js'
import type { ResultBody, ToolOutcome } from '../protocol/revision.js'
import type { Call } from './call.js'
import { declaresExtension, requireExtension } from './declared-extension.js'
import type { Deferral } from './deferral.js'
import type { Bound } from './handle.js'
import type { HandlerSteps } from './handler.js'
import { InputRequired } from './input/input-exchange.js'
import type { ListEntry } from './listing.js'
import { checkRoute } from './route.js'

export type BoundTool = Bound<ToolDefinition>

/** A tool with what its answers need, worked out once. */
export interface ServedTool extends BoundTool {
  /** Whether 2025-11-25 clients get the value as `{"value": …}`. */
  readonly wrapped: boolean
}

export function serveTool(bound: BoundTool): ServedTool {
  const output = bound.definition.compiled.output
  return { ...bound, wrapped: output !== undefined && legacyWraps(output.json) }
}

/** A tool as `tools/list` shows it; older clients get an output schema whose root is an object. */
export function toolEntry({ definition }: ServedTool, scopes: ScopeAlternatives | undefined): ListEntry {
  const { name, presentation, annotations, compiled } = definition
  const output = compiled.output?.json
  const { _meta, ...shown } = presented(presentation)
  const write = (outputSchema: JsonObject | undefined) =>
    JSON.stringify({ name, ...shown, inputSchema: compiled.input.json, outputSchema, annotations, _meta })
  const json = write(output)
  const older = output === undefined ? json : write(legacyOutputSchema(output))
  return { key: name, scopes, json: (revision) => (revision.objectResults ? older : json) }
}

/** Answers `tools/call`: target, mirrored parameters, state, arguments, handler, in that order. */
export async function callTool(
  tools: ReadonlyMap<string, ServedTool>,
  { beginInput, run }: HandlerSteps,
  call: Call,
): Promise<ResultBody> {
  const { name, arguments: given = null } = call.envelope.params
  const tool = typeof name === 'string' ? tools.get(name) : undefined
  if (tool === undefined) throw unknownTool(call.envelope.params)
  const args = given === null ? {} : given
  if (!isJsonObject(args)) throw new WireError('ERR_PARAMS', '`arguments` must be an object')
  const { compiled, inputs } = tool.definition
  call.revision.checkParameters(compiled.mirrored, args, call.headers)
  await checkRoute(call, tool.definition.routeValues)
  const deferral = deferralFor(tool, call)
  if (deferral === 'refused') return toolError(call, onlyAsTask)
  if (inputs !== undefined) await beginInput(call, { inputs, name: tool.definition.name, args })
  const parsed = await compiled.input.parse(args)
  if (!parsed.ok) return toolError(call, `Invalid arguments: ${parsed.issues}`)
  try {
    const { givenRoute } = call
    const deferred = { arguments: args, capabilities: call.envelope.capabilities, givenRoute }
    const handler: BoundTool['handler'] =
      deferral === undefined ? tool.handler : (input, context) => deferral.begin(input, context, deferred)
    const returned: unknown = await run(handler, tool.definition.name, parsed.value, call)
    if (returned instanceof InputRequired) return returned.body
    if (deferral !== undefined) return { members: membersOf(returned, tool), resultType: 'task' }
    return call.revision.toolResult(await outcome(tool.definition, returned), tool.wrapped)
  } catch (error) {
    if (error instanceof ToolError) return toolError(call, error.message)
    throw error
  }
}

const onlyAsTask = 'This tool works as a task only, which this revision of the protocol does not know'

/** What takes the call over; undefined when it is answered at once. Throws `ERR_CAPABILITY` (TK-3). */
function deferralFor({ deferral }: ServedTool, call: Call): Deferral | 'refused' | undefined {
  if (deferral === undefined) return undefined
  const { capabilities } = call.envelope
  if (call.revision.asks && declaresExtension(deferral.extension, capabilities)) return deferral
  if (!deferral.required) return undefined
  if (!call.revision.asks) return 'refused'
  requireExtension(deferral.extension, capabilities)
  return deferral
}

function membersOf(task: unknown, tool: ServedTool): string {
  const json = JSON.stringify(task) as string | undefined
  if (json?.startsWith('{') === true) return json.slice(1, -1)
  throw new TypeError(`The handler of tool ${tool.definition.name} created no task`)
}

export function unknownTool({ name }: JsonObject): WireError {
  if (typeof name !== 'string') return new WireError('ERR_PARAMS', '`name` must be a string')
  return new WireError('ERR_TARGET', `Unknown tool: ${name.slice(0, 128)}`)
}

function toolError(call: Call, message: string): ResultBody {
  return call.revision.toolResult(failedOutcome(message), false)
}

/** What a tool tells the model that it failed with. */
export function failedOutcome(message: string): ToolOutcome {
  return { content: JSON.stringify({ type: 'text', text: message }), authored: true, isError: true }
}

/** What a handler returned, checked by the output schema. Throws `TypeError` for what it must not return. */
export async function outcome(definition: ToolDefinition, returned: unknown): Promise<ToolOutcome> {
  const { output } = definition.compiled
  if (!isToolResult(returned)) {
    if (output === undefined) return { content: blocks(returned), authored: true }
    return { content: '', authored: false, structured: await structured(definition, returned) }
  }
  const { value, content, metadata } = returned
  return {
    content: content === undefined ? '' : blocks(content),
    authored: content !== undefined,
    ...(output === undefined ? {} : { structured: await structured(definition, value) }),
    ...(metadata === undefined ? {} : { meta: checkedMeta(metadata) }),
  }
}

/** The JSON of a value the output schema accepts; any other is the handler's fault and is never sent. */
async function structured({ name, compiled }: ToolDefinition, value: unknown): Promise<string> {
  const checked = await compiled.output?.parse(value)
  if (checked?.ok !== true)
    throw new TypeError(`The handler of tool ${name} broke its output schema: ${checked?.issues ?? ''}`)
  const json = JSON.stringify(checked.value) as string | undefined
  if (json === undefined) throw new TypeError(`The handler of tool ${name} returned nothing JSON can hold`)
  return json
}

function blocks(returned: unknown): string {
  if (returned === undefined || returned === null) return ''
  if (typeof returned === 'string') return JSON.stringify({ type: 'text', text: returned })
  const list = (Array.isArray(returned) ? returned : [returned]) as readonly ContentBlock[]
  return list.map(blockJson).join(',')
}

const blockTypes = new Set(['text', 'image', 'audio', 'resource_link', 'resource'])

function blockJson(block: unknown): string {
  const known = isJsonObject(block) && blockTypes.has(block['type'] as string)
  const json = known ? (JSON.stringify(block) as string | undefined) : undefined
  if (json?.startsWith('{') === true) return json
  throw new TypeError('A handler without an output schema returns text or content blocks')
}

function checkedMeta(metadata: unknown): JsonObject {
  if (isJsonObject(metadata) && typeof metadata['toJSON'] !== 'function') return metadata
  throw new TypeError('The metadata of a result is an object')
}
