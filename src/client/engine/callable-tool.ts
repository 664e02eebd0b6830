import type { ToolAnnotations } from '../../contract/presentation.js'
import type { JsonObject } from '../../protocol/json.js'
import type { MirroredParameter } from '../../protocol/mirrored-parameters.js'
import type { Found, ToolCatalog } from '../catalog/tool-catalog.js'
import type { KnownTool } from '../caller.js'
import type { CompletedCall } from '../completed-call.js'
import {
  InternalClientError,
  InvalidArgumentsError,
  MalformedResponseError,
  OutcomeUnknownError,
  RpcError,
} from '../errors.js'
import type { ListedTool } from '../listed.js'
import { listedParameters } from '../reading/list-page.js'
import { malformed } from '../reading/member.js'
import { schemaValidator, type Validate } from '../schema/schema-validator.js'

const invalidParams = -32602

/** A tool as one call needs it. */
export interface CallableTool {
  readonly parameters: readonly MirroredParameter[]
  readonly annotations: ToolAnnotations | undefined
  /** Judges structured content; absent when the host does. */
  readonly output?: Validate | undefined
}

/** The tool of a host's own definition; headers follow what the server listed last, if it ever did (HDR-28). */
export function knownTool(name: string, known: KnownTool, catalog: ToolCatalog): CallableTool {
  const listed = catalog.latest(name)
  const parameters = listed === undefined ? known.parameters : listedParameters(listed)
  return { parameters, annotations: known.annotations }
}

/**
 * A tool as the server lists it, its arguments judged. One that is not listed may still be called: the server decides.
 * Throws `InvalidArgumentsError`, and `InternalClientError` for a tool that cannot be used; nothing was sent then.
 */
export async function listedTool(name: string, found: Found, args: JsonObject): Promise<CallableTool> {
  if (found === undefined) return { parameters: [], annotations: undefined }
  if ('leftOut' in found) throw new InternalClientError(`The tool cannot be used. ${found.leftOut}`)
  const { tool } = found
  const input = await validator(tool, 'inputSchema', name)
  const output = tool.outputSchema === undefined ? undefined : await validator(tool, 'outputSchema', name)
  const issues = judged(() => input(args), name)
  if (issues.length > 0) throw new InvalidArgumentsError(issues)
  return { parameters: listedParameters(tool), annotations: tool.annotations, output }
}

function judged<T>(judge: () => T, name: string): T {
  try {
    return judge()
  } catch (cause) {
    throw new InternalClientError(`The arguments of tool ${JSON.stringify(name)} cannot be judged`, { cause })
  }
}

async function validator(
  tool: ListedTool,
  member: 'inputSchema' | 'outputSchema',
  name: string,
): Promise<Validate> {
  const validate = await schemaValidator(tool[member] ?? {})
  if (typeof validate === 'function') return validate
  throw new InternalClientError(
    `The ${member} of tool ${JSON.stringify(name)} cannot be judged: ${validate.problem}`,
  )
}

/** Checks a finished call by the tool's output schema; what the tool answers as its error passes unchanged (B067). */
export function checkStructured(call: CompletedCall, output: Validate | undefined, name: string): void {
  if (output === undefined || call.isError) return
  const where = `The result of tool ${JSON.stringify(name)}`
  if (!Object.hasOwn(call, 'structuredContent')) throw malformed(`${where} has no structured content`)
  let issues: ReturnType<Validate>
  try {
    issues = output(call.structuredContent)
  } catch (cause) {
    throw malformed(`${where} cannot be judged by its output schema`, { cause })
  }
  const [issue] = issues
  if (issue !== undefined) {
    throw malformed(`${where} breaks its output schema: ${issue.path || 'the value'} ${issue.message}`)
  }
}

/** Reads the list ahead of a call. When that fails, the call itself was never sent. */
export async function lookUp<T>(read: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  try {
    return await read
  } catch (error) {
    if (signal?.aborted === true) throw signal.reason
    if (!saysNothingOfTheCall(error)) throw error
    throw new InternalClientError('The tools could not be listed, so the call was not sent', { cause: error })
  }
}

/** Failures that would be taken for those of the call: its lost answer, its bad result, its invalid arguments. */
function saysNothingOfTheCall(error: unknown): boolean {
  if (error instanceof RpcError) return error.rpc === invalidParams
  return error instanceof OutcomeUnknownError || error instanceof MalformedResponseError
}
