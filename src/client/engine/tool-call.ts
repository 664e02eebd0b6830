import type { JsonObject } from '../../protocol/json.js'
import { mirroredHeaders } from '../../protocol/mirrored-parameters.js'
import { checkStructured, knownTool, listedTool, lookUp, type CallableTool } from './callable-tool.js'
import type { CallRequest, CallResponse, Continuation, ToolCallOptions } from '../caller.js'
import type { CallerSettings } from '../caller-options.js'
import { callInput, declaredCapabilities, type CallInput } from './capabilities.js'
import type { ToolCatalog } from '../catalog/tool-catalog.js'
import type { CompletedCall } from '../completed-call.js'
import { InternalClientError } from '../errors.js'
import { checkResponses } from './input-rounds.js'
import { afterSending, refusedUnrun } from './outcome.js'
import { progressReader } from './progress.js'
import { readCompletedCall } from '../reading/completed-call.js'
import { readCreatedTask } from '../reading/task.js'
import { mayRepeat } from './retry-policy.js'
import { runRounds, type Ended } from './rounds.js'
import { prepared, type Send } from './sender.js'

/** What calls of one caller share. */
export interface CallParts {
  readonly send: Send
  readonly settings: CallerSettings
  readonly catalog: ToolCatalog
}

const method = 'tools/call'
const headerMismatch = -32020

/** One call of one tool, from its look-up to its answer, over as many rounds and attempts as it takes. */
export class ToolCall {
  readonly #parts: CallParts
  readonly #request: CallRequest
  readonly #options: ToolCallOptions
  readonly #arguments: JsonObject
  readonly #input: CallInput
  /** Whether an attempt was lost: from then on nothing is certain. */
  #lost = false
  /** Whether the server told anything in this attempt, so that the call had begun to run. */
  #begun = false

  constructor(parts: CallParts, request: CallRequest, options: ToolCallOptions) {
    this.#parts = parts
    this.#request = request
    this.#options = options
    this.#arguments = request.arguments ?? {}
    this.#input = callInput(parts.settings, options.hostInput)
  }

  async run(): Promise<CallResponse> {
    const { signal, taskSupport = false } = this.#options
    this.#checkContinuation()
    let tool = await this.#tool()
    const ended = await runRounds({
      method,
      settings: this.#parts.settings,
      input: this.#input,
      taskSupport,
      signal,
      send: async (continuation) => {
        const round = await this.#round(tool, continuation ?? this.#request.continuation)
        tool = round.tool
        return round.result
      },
      lost: () => this.#lost,
    })
    return this.#response(ended, tool)
  }

  #checkContinuation(): void {
    const { continuation } = this.#request
    if (continuation === undefined) return
    if (this.#input.by === 'nobody') {
      throw new InternalClientError('A call without host input cannot go on after questions')
    }
    checkResponses(continuation.inputResponses)
  }

  #tool(): Promise<CallableTool> {
    const { catalog } = this.#parts
    const { tool } = this.#request
    const { known, signal } = this.#options
    signal?.throwIfAborted()
    if (known !== undefined) return Promise.resolve(knownTool(tool, known, catalog))
    return lookUp(catalog.find(tool, signal), signal).then((found) =>
      listedTool(tool, found, this.#arguments),
    )
  }

  /** Sends one round; headers the server refuses before it begins are corrected once by a list read anew. */
  async #round(tool: CallableTool, continuation: Continuation | undefined) {
    try {
      return { tool, result: await this.#attempts(tool, continuation) }
    } catch (error) {
      if (this.#lost || this.#begun || !refusedUnrun(error, headerMismatch)) throw error
      const corrected = await this.#corrected(tool)
      if (corrected === undefined) throw error
      return { tool: corrected, result: await this.#attempts(corrected, continuation) }
    }
  }

  async #corrected(tool: CallableTool): Promise<CallableTool | undefined> {
    const { signal, known } = this.#options
    const name = this.#request.tool
    const found = await lookUp(this.#parts.catalog.reread(name, signal), signal)
    if (found === undefined || 'leftOut' in found) return undefined
    if (known === undefined) return listedTool(name, found, this.#arguments)
    return { ...tool, parameters: knownTool(name, known, this.#parts.catalog).parameters }
  }

  /** Sends until an answer came, as often as the retry policy allows; each time with its own id and token. */
  async #attempts(tool: CallableTool, continuation: Continuation | undefined): Promise<JsonObject> {
    const { retry } = this.#parts.settings
    for (let attempt = 1; ; attempt++) {
      const host: { failed: boolean } = { failed: false }
      try {
        return await this.#attempt(tool, continuation, host)
      } catch (error) {
        if (!host.failed && mayRepeat(retry, tool.annotations, attempt, error)) this.#lost = true
        else throw this.#lost ? afterSending(method, error, true) : error
      }
    }
  }

  async #attempt(
    tool: CallableTool,
    continuation: Continuation | undefined,
    host: { failed: boolean },
  ): Promise<JsonObject> {
    const { signal, onProgress, taskSupport = false } = this.#options
    const progressToken = onProgress === undefined ? undefined : crypto.randomUUID()
    const readProgress = progressReader(progressToken, onProgress)
    this.#begun = false
    const { result } = await this.#parts.send({
      method,
      params: { name: this.#request.tool, arguments: this.#arguments, ...continued(continuation) },
      capabilities: declaredCapabilities(this.#parts.settings, this.#input, taskSupport),
      name: this.#request.tool,
      parameters: prepared(() => mirroredHeaders(tool.parameters, this.#arguments)),
      progressToken,
      signal,
      onNotification: async (notification) => {
        this.#begun = true
        try {
          await readProgress(notification)
        } catch (error) {
          host.failed = true
          throw error
        }
      },
    })
    return result
  }

  #response(ended: Ended, tool: CallableTool): CallResponse {
    const { type, result } = ended
    if (type === 'input_required') return { status: 'input_required', ...ended.unfinished }
    try {
      if (type === 'task') return { status: 'task', task: readCreatedTask(result, this.#input.support) }
      return this.#completed(result, tool)
    } catch (error) {
      throw this.#lost ? afterSending(method, error, true) : error
    }
  }

  /** An answer that is no result leaves the outcome unknown; a result that breaks its schema is known to be one. */
  #completed(result: JsonObject, tool: CallableTool): CompletedCall {
    let call: CompletedCall
    try {
      call = readCompletedCall(result)
    } catch (error) {
      throw afterSending(method, error)
    }
    checkStructured(call, tool.output, this.#request.tool)
    return call
  }
}

/** The members a round adds to the first one's parameters. */
export function continued(continuation: Continuation | undefined): JsonObject {
  if (continuation === undefined) return {}
  const { requestState, inputResponses } = continuation
  return {
    ...(inputResponses !== undefined && { inputResponses }),
    ...(requestState !== undefined && { requestState }),
  }
}
