import { isJsonObject, type JsonObject } from '../../protocol/json.js'
import type { ToolDefinition } from '../../contract/tool.js'
import type { CallResponse, McpCaller, RequestOptions, ToolCallOptions } from '../caller.js'
import type { CompletedCall } from '../completed-call.js'
import { InternalClientError, InvalidArgumentsError, ToolExecutionError } from '../errors.js'
import { malformed } from '../reading/member.js'

/** Sends a call as it is meant and gives its exact response. Throws `InvalidArgumentsError` before anything is sent. */
export async function sendCall(
  caller: McpCaller,
  tool: ToolDefinition | string,
  input: unknown,
  options: ToolCallOptions,
): Promise<CallResponse> {
  const args = input ?? {}
  if (!isJsonObject(args)) throw new InternalClientError('Arguments are an object')
  if (typeof tool === 'string') return caller.callTool({ tool, arguments: args }, options)
  await checkArguments(tool, args)
  const { mirrored } = tool.compiled
  const known = { parameters: mirrored, annotations: tool.annotations }
  const response = await caller.callTool({ tool: tool.name, arguments: args }, { ...options, known })
  if (response.status !== 'complete') return response
  return checkedResult(tool, response)
}

/** The result of a call that has to be finished: its value, or `ToolExecutionError` when the tool failed. */
export async function resultOf(
  caller: McpCaller,
  tool: ToolDefinition | string,
  input: unknown,
  options: RequestOptions,
): Promise<unknown> {
  const response = await sendCall(caller, tool, input, { hostInput: 'automatic', ...options })
  if (response.status !== 'complete') throw malformed('The call was answered with something unfinished')
  if (response.isError) throw new ToolExecutionError(failureText(response), response)
  if (typeof tool === 'string') return response
  return tool.compiled.output === undefined ? response.content : response.structuredContent
}

/** The arguments go out as they were written, since the server parses them itself. */
async function checkArguments(tool: ToolDefinition, args: JsonObject): Promise<void> {
  const parsed = await tool.compiled.input.parse(args)
  if (parsed.ok) return
  throw new InvalidArgumentsError([{ path: '', constraint: 'input', message: parsed.issues }])
}

/** A finished call with its value parsed by the definition's output; what the tool tells as its error stays as it is. */
async function checkedResult(tool: ToolDefinition, call: CompletedCall): Promise<CompletedCall> {
  const { output } = tool.compiled
  if (output === undefined || call.isError) return call
  const where = `The result of tool ${JSON.stringify(tool.name)}`
  if (!Object.hasOwn(call, 'structuredContent')) throw malformed(`${where} has no structured content`)
  const parsed = await output.parse(call.structuredContent)
  if (!parsed.ok) throw malformed(`${where} breaks its output schema: ${parsed.issues}`)
  return { ...call, structuredContent: parsed.value }
}

const longestMessage = 500

function failureText({ content }: CompletedCall): string {
  const texts = content.flatMap((block) => (block.type === 'text' ? [block.text] : []))
  return texts.join('\n').slice(0, longestMessage) || 'The tool failed'
}
