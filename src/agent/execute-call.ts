import type { CallRequest, CallResponse, KnownTool, ProgressUpdate } from '../client/caller.js'
import { MalformedResponseError } from '../client/errors.js'
import type { Awaitable } from '../contract/access.js'
import type { ToolDefinition } from '../contract/tool.js'
import { argumentsOf } from './canonical-arguments.js'
import type { SuspendedCallStore } from './call-store.js'
import { failure, replan } from './failure.js'
import type { ToolOutcome } from './outcome.js'
import type { ToolCall } from './plan-calls.js'
import { completed, failedBy } from './result.js'
import { runStep } from './step.js'
import type { PendingInput, PendingTask, SuspendedCall } from './suspended-call.js'
import type { AgentTool, Toolset } from './toolset.js'

export interface CallOptions {
  readonly signal?: AbortSignal
  readonly onProgress?: (update: ProgressUpdate) => Awaitable<void>
  /** Lets the tool become a task; only for hosts that keep the record and follow it. */
  readonly taskSupport?: boolean
  /** `false`: nobody can be asked, so nothing is ever suspended or resumed. */
  readonly hostInput?: false
}

/** Where a call stands when a round of it is sent. */
export type Round = Omit<SuspendedCall, 'version' | 'pending'>

/**
 * Runs a call once and tells what became of it; never throws for what the caller does. With a `store` a duplicate of
 * the call gets the saved outcome, or throws `CallInProgressError`.
 */
export async function executeToolCall(
  toolset: Toolset,
  call: ToolCall,
  options: CallOptions & { readonly store?: SuspendedCallStore } = {},
): Promise<ToolOutcome> {
  const { store } = options
  const tool = toolset.tools.get(call.tool)
  if (tool?.forModel !== true) {
    const message = `There is no tool ${JSON.stringify(call.tool).slice(0, 200)}`
    return { status: 'failed', failure: failure('invalid_call', message, replan) }
  }
  const round = firstRound(toolset, tool, call)
  const send = () => sendRound(toolset, tool, round, undefined, options)
  return store === undefined ? send() : runStep({ store, toolCallId: call.id, sequence: 0 }, send)
}

function firstRound(toolset: Toolset, tool: AgentTool, call: ToolCall): Round {
  return {
    toolset: toolset.name,
    tool: tool.name,
    toolCallId: call.id,
    ...(call.providerCallId !== undefined && { providerCallId: call.providerCallId }),
    arguments: call.arguments,
    sequence: 0,
    contract: tool.contract,
  }
}

/** Sends one round of a call, once. Never rejects. */
export async function sendRound(
  { caller }: Toolset,
  tool: AgentTool,
  round: Round,
  continuation: CallRequest['continuation'],
  { signal, onProgress, taskSupport = false, hostInput }: CallOptions,
): Promise<ToolOutcome> {
  try {
    signal?.throwIfAborted()
    const request = {
      tool: tool.name,
      arguments: argumentsOf(round.arguments),
      ...(continuation !== undefined && { continuation }),
    }
    const tasks = taskSupport && hostInput !== false
    const response = await caller.callTool(request, {
      ...(signal !== undefined && { signal }),
      ...(onProgress !== undefined && { onProgress }),
      ...(hostInput === false && { hostInput }),
      ...(tasks && { taskSupport: true }),
      ...(tool.definition !== undefined && { known: known(tool.definition) }),
    })
    return await told(tool, round, response, { tasks, input: hostInput !== false })
  } catch (error) {
    return failedBy(stopped(error, signal))
  }
}

/** What spares the caller a look at the server's list: arguments and results are checked here. */
function known({ compiled, annotations }: ToolDefinition): KnownTool {
  return { parameters: compiled.mirrored, annotations }
}

async function told(
  tool: AgentTool,
  round: Round,
  response: CallResponse,
  allowed: { readonly tasks: boolean; readonly input: boolean },
): Promise<ToolOutcome> {
  switch (response.status) {
    case 'complete':
      return completed(tool, response)
    case 'input_required':
      if (!allowed.input) throw new MalformedResponseError('The tool asks where nobody can be asked')
      return suspendedAs(round, pendingInput(response))
    case 'task':
      if (!allowed.tasks) throw new MalformedResponseError('The tool became a task where tasks are not kept')
      return suspendedAs(round, { kind: 'task', task: response.task, answered: [] })
    default:
      throw new MalformedResponseError('The answer has an unknown status')
  }
}

function pendingInput({ requests, requestState }: CallResponse & { status: 'input_required' }): PendingInput {
  return { kind: 'input', ...(requestState !== undefined && { requestState }), requests }
}

/** A suspended outcome at the step of a round. */
export function suspendedAs(round: Round, pending: PendingInput | PendingTask): ToolOutcome {
  return { status: 'suspended', suspended: { version: 1, ...round, pending } }
}

/** A host may abort with any reason; as a failure it counts as what it is, a stop. */
export function stopped(error: unknown, signal: AbortSignal | undefined): unknown {
  if (signal?.aborted !== true || error !== signal.reason) return error
  return new DOMException('The call was stopped', { name: 'AbortError', cause: error })
}
