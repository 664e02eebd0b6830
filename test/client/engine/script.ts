import type { Channel, ChannelRequest } from '../../../src/client/channel.js'
import { callerOver } from '../../../src/client/engine/caller-over.js'
import type { CallerOptions } from '../../../src/client/caller-options.js'
import type { McpCaller } from '../../../src/client/caller.js'
import { OutcomeUnknownError } from '../../../src/client/errors.js'
import type { JsonObject } from '../../../src/protocol/json.js'

/** Answers one request: gives a result or throws what a channel would reject with. */
export type Step = (request: ChannelRequest) => JsonObject | Promise<JsonObject>

export interface Scripted {
  readonly caller: McpCaller
  /** Every request that was sent, in order. */
  readonly sent: readonly ChannelRequest[]
  readonly warnings: readonly string[]
  /** The requests of one method. */
  readonly of: (method: string) => readonly ChannelRequest[]
}

/** A caller over a peer whose answers are written down, one after the other per method; the last one repeats. */
export function scripted(
  answers: Readonly<Record<string, Step | readonly Step[]>>,
  options: Partial<CallerOptions> = {},
): Scripted {
  const sent: ChannelRequest[] = []
  const warnings: string[] = []
  const used = new Map<string, number>()
  const channel: Channel = {
    async request(request) {
      request.signal?.throwIfAborted()
      sent.push(request)
      const given = answers[request.method]
      const steps = typeof given === 'function' ? [given] : (given ?? [])
      const at = used.get(request.method) ?? 0
      used.set(request.method, at + 1)
      const step = steps[Math.min(at, steps.length - 1)]
      if (step === undefined) throw new Error(`No answer is written down for ${request.method}`)
      return step(request)
    },
    close: async () => undefined,
  }
  const caller = callerOver(channel, {
    clientInfo: { name: 'script', version: '1' },
    onWarning: ({ message }) => warnings.push(message),
    ...options,
  })
  return { caller, sent, warnings, of: (method) => sent.filter((request) => request.method === method) }
}

/** A page of tools. */
export const tools =
  (...entries: unknown[]): Step =>
  () => ({ resultType: 'complete', tools: entries, ttlMs: 60_000, cacheScope: 'private' })

export const echoTool = {
  name: 'echo',
  inputSchema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
}

/** A finished call. */
export const says =
  (text: string, more: JsonObject = {}): Step =>
  () => ({ resultType: 'complete', content: [{ type: 'text', text }], ...more })

export const gives =
  (result: JsonObject): Step =>
  () =>
    result

export const throws =
  (error: unknown): Step =>
  () => {
    throw error
  }

/** Tells something ahead of the answer, the way a channel passes it on: what the receiver throws ends the request. */
export const notifying =
  (
    notifications: (request: ChannelRequest) => readonly { method: string; params: JsonObject }[],
    then: Step,
  ): Step =>
  async (request) => {
    for (const notification of notifications(request)) {
      try {
        await request.onNotification?.(notification)
      } catch (error) {
        throw new OutcomeUnknownError(error)
      }
    }
    return then(request)
  }

/** The `_meta` of a request. */
export function metaOf(request: ChannelRequest | undefined): Record<string, any> {
  return request?.params['_meta'] as Record<string, any>
}

/** What a promise rejects with. */
export async function failure(promise: Promise<unknown>): Promise<any> {
  try {
    await promise
  } catch (error) {
    return error
  }
  throw new Error('It did not fail')
}
