import type { HttpAnswer } from '../../network/http-exchange.js'
import { isJsonContent } from '../../protocol/media-type.js'
import type { ChannelRequest } from '../channel.js'
import { HttpResponseError, MalformedResponseError } from '../errors.js'
import { streamedVerdict } from './event-answer.js'
import { jsonMessage } from './json-answer.js'
import type { ReadLimits } from './limits.js'
import { verdictOf, type Verdict } from './message.js'

const eventStream = /^[ \t]*text\/event-stream[ \t]*(?:;.*)?$/i

/** Reads an answer. What it gives is known; whatever it throws leaves the outcome of the request unknown. */
export async function readVerdict(
  answer: HttpAnswer,
  request: ChannelRequest,
  limits: ReadLimits,
): Promise<Verdict> {
  const { status, wwwAuthenticate } = answer
  if (status === 401 || status === 403 || (status === 400 && wwwAuthenticate.length > 0)) {
    return { refusal: new HttpResponseError(status, wwwAuthenticate) }
  }
  const type = answer.header('content-type')
  if (status !== 200) return errorVerdict(answer, type, request, limits)
  if (isJsonContent(type)) return verdictOf(await jsonMessage(answer, limits), request.id, status)
  if (type !== undefined && eventStream.test(type)) return streamedVerdict(answer, request, limits)
  throw new MalformedResponseError('The answer is neither JSON nor an event stream')
}

/** Any status counts as the JSON-RPC error in its body; without one only 400 tells that nothing ran. */
async function errorVerdict(
  answer: HttpAnswer,
  type: string | undefined,
  request: ChannelRequest,
  limits: ReadLimits,
): Promise<Verdict> {
  const { status } = answer
  const told = isJsonContent(type) ? await toldError(answer, request, limits) : undefined
  if (told !== undefined) return told
  const error = new HttpResponseError(status, answer.wwwAuthenticate)
  if (status === 400) return { refusal: error }
  throw error
}

async function toldError(
  answer: HttpAnswer,
  { id, signal }: ChannelRequest,
  limits: ReadLimits,
): Promise<Verdict | undefined> {
  try {
    const verdict = verdictOf(await jsonMessage(answer, limits), id, answer.status)
    return 'refusal' in verdict ? verdict : undefined
  } catch {
    signal?.throwIfAborted()
    return undefined
  }
}
