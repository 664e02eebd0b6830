import type { HttpAnswer } from '../../network/http-exchange.js'
import { isJsonObject, type JsonObject } from '../../protocol/json.js'
import type { ChannelRequest } from '../channel.js'
import { ConnectionLostError, MalformedResponseError } from '../errors.js'
import { EventReader, EventSizeError } from './event-reader.js'
import type { ReadLimits } from './limits.js'
import { parseMessage, verdictOf, type Verdict } from './message.js'
import { untilAborted } from './until-aborted.js'

/**
 * Reads an event stream up to the answer of `request`, handing over what is notified before. Throws
 * `MalformedResponseError`, what `onNotification` throws, the signal's reason, or `ConnectionLostError` when the stream
 * ends early.
 */
export async function streamedVerdict(
  answer: HttpAnswer,
  request: ChannelRequest,
  limits: ReadLimits,
): Promise<Verdict> {
  const decode = utf8Decoder()
  const reader = new EventReader(limits.eventSize)
  for await (const chunk of uncut(answer.body, request.signal)) {
    for (const { name, data } of completed(reader, decode(chunk))) {
      if (name !== 'message') continue
      const message = parseMessage(data, limits.depth)
      if (!Object.hasOwn(message, 'method')) return verdictOf(message, request.id, answer.status)
      await notify(message, request)
    }
  }
  throw new ConnectionLostError('The event stream ended before the answer')
}

/** Names a network failure for what it is here; an abort stays an abort. */
async function* uncut(
  body: AsyncIterable<Uint8Array>,
  signal: AbortSignal | undefined,
): AsyncGenerator<Uint8Array> {
  try {
    yield* body
  } catch (cause) {
    if (signal?.aborted) throw signal.reason
    throw new ConnectionLostError('The event stream was cut before the answer', { cause })
  }
}

function utf8Decoder(): (chunk: Uint8Array) => string {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  return (chunk) => {
    try {
      return decoder.decode(chunk, { stream: true })
    } catch {
      throw new MalformedResponseError('The event stream is not UTF-8')
    }
  }
}

function* completed(reader: EventReader, text: string): ReturnType<EventReader['read']> {
  try {
    yield* reader.read(text)
  } catch (error) {
    throw error instanceof EventSizeError ? new MalformedResponseError(error.message) : error
  }
}

async function notify(message: JsonObject, { onNotification, signal }: ChannelRequest): Promise<void> {
  const { method, params = {} } = message
  if (Object.hasOwn(message, 'id')) throw new MalformedResponseError('The server sent a request')
  if (typeof method !== 'string' || !isJsonObject(params)) {
    throw new MalformedResponseError('The server sent a malformed notification')
  }
  await untilAborted(onNotification?.({ method, params }), signal)
}
