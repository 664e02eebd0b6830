import type { HttpAnswer } from '../../network/http-exchange.js'
import type { JsonObject } from '../../protocol/json.js'
import { MalformedResponseError } from '../errors.js'
import type { ReadLimits } from './limits.js'
import { parseMessage } from './message.js'

/** Reads a body that is one JSON message. Throws `MalformedResponseError`, or what the network said. */
export async function jsonMessage(answer: HttpAnswer, limits: ReadLimits): Promise<JsonObject> {
  return parseMessage(await bodyText(answer.body, limits.answerBytes), limits.depth)
}

async function bodyText(body: AsyncIterable<Uint8Array>, limit: number): Promise<string> {
  let first: Uint8Array | undefined
  const rest: Uint8Array[] = []
  let size = 0
  for await (const chunk of body) {
    size += chunk.length
    if (size > limit) throw new MalformedResponseError(`The answer is larger than ${limit} bytes`)
    if (first === undefined) first = chunk
    else rest.push(chunk)
  }
  if (first === undefined) return ''
  return decode(rest.length === 0 ? first : joined([first, ...rest], size))
}

function joined(chunks: readonly Uint8Array[], size: number): Uint8Array {
  const bytes = new Uint8Array(size)
  let at = 0
  for (const chunk of chunks) {
    bytes.set(chunk, at)
    at += chunk.length
  }
  return bytes
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

function decode(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes)
  } catch {
    throw new MalformedResponseError('The answer is not UTF-8')
  }
}
