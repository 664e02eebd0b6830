import type { JsonObject } from '../../protocol/json.js'
import type {
  CallRequest,
  CallResponse,
  Continuation,
  ListenOptions,
  McpCaller,
  MethodOptions,
  RequestOptions,
  ToolCallOptions,
} from '../caller.js'
import { callerSettings, type CallerOptions, type CallerWarning } from '../caller-options.js'
import { callInput, declaredCapabilities, noInput } from './capabilities.js'
import { ToolCatalog } from '../catalog/tool-catalog.js'
import type { Channel } from '../channel.js'
import { InternalClientError } from '../errors.js'
import type { InputResponse } from '../input.js'
import { checkResponses } from './input-rounds.js'
import { listen, subscribe } from './listening.js'
import { afterSending } from './outcome.js'
import { progressReader } from './progress.js'
import { malformed } from '../reading/member.js'
import { readResult } from '../reading/result.js'
import { mayAsk, resultType } from '../reading/result-type.js'
import { readTask } from '../reading/task.js'
import { noSpan, type RequestSpan } from './request-span.js'
import { runRounds } from './rounds.js'
import { sender } from './sender.js'
import type { SubscriptionEvent, SubscriptionFilter } from '../subscription.js'
import type { Task } from '../task.js'
import { continued, ToolCall, type CallParts } from './tool-call.js'

/** The parameter that names what a request is about (MCP 2026-07-28, Streamable HTTP, HDR-5). */
const nameParameters = new Map([
  ['tools/call', 'name'],
  ['prompts/get', 'name'],
  ['resources/read', 'uri'],
  ['tasks/get', 'taskId'],
  ['tasks/update', 'taskId'],
  ['tasks/cancel', 'taskId'],
])

/** A caller over a channel: it adds what every request needs and believes no answer unseen. Throws `ERR_OPTION`. */
export function callerOver(channel: Channel, options: CallerOptions, span: RequestSpan = noSpan): McpCaller {
  return new ChannelCaller(channel, options, span)
}

class ChannelCaller implements McpCaller {
  readonly #channel: Channel
  readonly #parts: CallParts

  constructor(channel: Channel, options: CallerOptions, span: RequestSpan) {
    const settings = callerSettings(options)
    this.#channel = channel
    this.#parts = {
      settings,
      send: sender(channel, settings.clientInfo, span),
      catalog: new ToolCatalog(
        (cursor, signal, warn) =>
          this.#request('tools/list', cursor === undefined ? {} : { cursor }, { signal }, (warning) => {
            warn(warning)
            settings.warn(warning)
          }),
        settings.limits.listPages,
      ),
    }
  }

  async callTool(request: CallRequest, options: ToolCallOptions = {}): Promise<CallResponse> {
    return new ToolCall(this.#parts, request, options).run()
  }

  async request(method: string, params: JsonObject = {}, options: MethodOptions = {}): Promise<JsonObject> {
    if (method === 'tools/call' || method === 'subscriptions/listen') {
      throw new InternalClientError(`${method} has a function of its own`)
    }
    return this.#request(method, params, options, this.#parts.settings.warn)
  }

  async getTask(taskId: string, options: RequestOptions = {}): Promise<Task> {
    const result = await this.#request('tasks/get', { taskId }, options)
    const { support } = callInput(this.#parts.settings, options.hostInput)
    const task = readTask(result, support)
    if (task.taskId !== taskId) throw malformed('The answer is about another task')
    return task
  }

  async updateTask(
    taskId: string,
    responses: Readonly<Record<string, InputResponse>>,
    options: RequestOptions = {},
  ): Promise<void> {
    checkResponses(responses)
    this.#checkSameTask(
      taskId,
      await this.#request('tasks/update', { taskId, inputResponses: responses }, options),
    )
  }

  async cancelTask(taskId: string, options: RequestOptions = {}): Promise<void> {
    this.#checkSameTask(taskId, await this.#request('tasks/cancel', { taskId }, options))
  }

  listen(filter: SubscriptionFilter, options: ListenOptions): Promise<void> {
    return listen(this.#parts, filter, options, (event) => {
      if (event.kind === 'tools_changed') this.#parts.catalog.changed()
    })
  }

  subscribe(
    filter: SubscriptionFilter,
    options: { readonly signal?: AbortSignal } = {},
  ): AsyncIterable<SubscriptionEvent> {
    return subscribe((own) => this.listen(filter, own), options.signal)
  }

  async close(options?: { readonly signal?: AbortSignal }): Promise<void> {
    await this.#channel.close(options)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close()
  }

  #checkSameTask(taskId: string, { taskId: answered }: JsonObject): void {
    if (answered === undefined || answered === taskId) return
    throw afterSending('tasks/update', malformed('The answer is about another task'))
  }

  /** Any method but tools/call: one attempt per round. */
  async #request(
    method: string,
    params: JsonObject,
    options: MethodOptions,
    warn: (warning: CallerWarning) => void = this.#parts.settings.warn,
  ): Promise<JsonObject> {
    const { settings } = this.#parts
    const input = callInput(settings, options.hostInput)
    const ask = mayAsk(method)
    const send = (continuation?: Continuation) => this.#send(method, params, options, continuation)
    if (!ask) {
      const result = await send()
      return this.#checked(method, result, warn)
    }
    const { signal } = options
    const { type, result } = await runRounds({
      method,
      settings,
      input,
      taskSupport: false,
      signal,
      send,
      lost: () => false,
    })
    return type === 'complete' ? readResult(method, result, warn) : result
  }

  #checked(method: string, result: JsonObject, warn: (warning: CallerWarning) => void): JsonObject {
    try {
      resultType(method, result, { unfinished: false, task: false })
      return readResult(method, result, warn)
    } catch (error) {
      throw afterSending(method, error)
    }
  }

  async #send(
    method: string,
    params: JsonObject,
    { signal, onProgress, hostInput, target }: MethodOptions,
    continuation: Continuation | undefined,
  ): Promise<JsonObject> {
    const { settings, send } = this.#parts
    const isTask = method.startsWith('tasks/')
    const input = mayAsk(method) || isTask ? callInput(settings, hostInput) : noInput
    const progressToken = onProgress === undefined ? undefined : crypto.randomUUID()
    const readProgress = progressReader(progressToken, onProgress)
    const { result } = await send({
      method,
      params: continuation === undefined ? params : { ...withoutAnswers(params), ...continued(continuation) },
      capabilities: declaredCapabilities(settings, input, isTask),
      name: target ?? targetOf(method, params),
      progressToken,
      signal,
      onNotification: readProgress,
    })
    return result
  }
}

function targetOf(method: string, params: JsonObject): string | undefined {
  const parameter = nameParameters.get(method)
  const target = parameter === undefined ? undefined : params[parameter]
  return typeof target === 'string' ? target : undefined
}

function withoutAnswers(params: JsonObject): JsonObject {
  const rest = Object.entries(params).filter(([name]) => name !== 'inputResponses' && name !== 'requestState')
  return Object.fromEntries(rest)
}
