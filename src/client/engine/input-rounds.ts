import { isJsonObject } from '../../protocol/json.js'
import type { Continuation } from '../caller.js'
import type { InputHandlers } from '../caller-options.js'
import { InternalClientError } from '../errors.js'
import type { FormRequest, InputRequest, InputResponse, UrlRequest } from '../input.js'
import { answerProblem, withDefaults } from '../schema/requested-schema.js'

/**
 * Asks the handlers one question after the other and checks what they answer. Rejects with what a handler throws and
 * with `InternalClientError` for an answer that does not fit its question.
 */
export async function answered(
  requests: Readonly<Record<string, InputRequest>>,
  handlers: InputHandlers,
  signal: AbortSignal | undefined,
): Promise<Readonly<Record<string, InputResponse>>> {
  const responses: [string, InputResponse][] = []
  for (const [key, request] of Object.entries(requests)) {
    signal?.throwIfAborted()
    responses.push([key, await answer(request, { key, signal }, handlers)])
  }
  return Object.fromEntries(responses)
}

async function answer(
  request: InputRequest,
  context: { key: string; signal: AbortSignal | undefined },
  { form, url }: InputHandlers,
): Promise<InputResponse> {
  if (isUrl(request)) {
    if (url === undefined) throw new InternalClientError('Nobody answers questions with a URL')
    const given = checkedAnswer(await url(request, context), context.key)
    if (!('content' in given)) return given
    throw new InternalClientError(
      `The answer to ${JSON.stringify(context.key)} is not valid: a URL has no content`,
    )
  }
  if (form === undefined) throw new InternalClientError('Nobody answers forms')
  const given = checkedAnswer(await form(request, context), context.key)
  if (given.action !== 'accept') return given
  const { requestedSchema } = request.params
  const content = withDefaults(requestedSchema, given.content ?? {})
  const problem = await answerProblem(requestedSchema, content)
  if (problem === undefined) return { action: 'accept', content }
  throw new InternalClientError(`The answer to ${JSON.stringify(context.key)} does not fit: ${problem}`)
}

function isUrl(request: FormRequest | UrlRequest): request is UrlRequest {
  return request.params.mode === 'url'
}

function checkedAnswer(response: InputResponse, key: string): InputResponse {
  const problem = responseProblem(response)
  if (problem === undefined) return response
  throw new InternalClientError(`The answer to ${JSON.stringify(key)} is not valid: ${problem}`)
}

/** Checks answers a host gives itself, by their shape. Throws `InternalClientError`. */
export function checkResponses(responses: Continuation['inputResponses']): void {
  if (responses === undefined) return
  if (!isJsonObject(responses)) throw new InternalClientError('Answers are an object, by key')
  for (const [key, response] of Object.entries(responses)) checkedAnswer(response, key)
}

function responseProblem(response: unknown): string | undefined {
  if (!isJsonObject(response)) return 'it must be an object'
  const { action, content } = response
  if (action !== 'accept' && action !== 'decline' && action !== 'cancel') {
    return '`action` is "accept", "decline" or "cancel"'
  }
  if (content === undefined) return undefined
  if (action !== 'accept') return 'only an accepted form has `content`'
  return isJsonObject(content) ? undefined : '`content` must be an object'
}
