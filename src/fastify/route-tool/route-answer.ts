import { STATUS_CODES } from 'node:http'
import type { LightMyRequestResponse } from 'fastify'
import { ToolError } from '../../errors.js'
import { isJsonObject } from '../../protocol/json.js'
import { isJson, isReadable } from './route-output.js'

/** How the answers of one route are read. */
export interface AnswerRules {
  /** The route, for the log. */
  readonly where: string
  /** The most bytes of an answer. */
  readonly limit: number
  /** Whether the tool promises structured results. */
  readonly structured: boolean
}

/**
 * What the route answered, as the handler of a tool returns it. A 4xx throws `ToolError` in the route's own words, a
 * redirect one in ours; 5xx and what is no JSON or text throw an error that is logged and masked.
 */
export async function toolAnswer(response: LightMyRequestResponse, rules: AnswerRules): Promise<unknown> {
  const { statusCode: status, headers } = response
  const { where, structured } = rules
  const mediaType =
    String(headers['content-type'] ?? '')
      .split(';', 1)[0]
      ?.trim()
      .toLowerCase() ?? ''
  if (status >= 500 || status < 200) throw unusable(response, `${where} answered ${status}`)
  if (status >= 300 && status < 400) {
    discard(response)
    throw new ToolError(`The route answered ${told(status)}; redirects are not followed`)
  }
  if (status >= 400) throw new ToolError(await refusal(response, mediaType, rules))
  if (headers['content-encoding'] !== undefined) throw unusable(response, `${where} answered compressed`)
  if (mediaType !== '' && !isReadable(mediaType)) {
    throw unusable(response, `${where} answered ${mediaType}; only JSON and text can be the answer of a tool`)
  }
  const text = await bounded(response, rules)
  if (!structured) return text === '' ? told(status) : text
  const value = parsed(text)
  if (value === undefined) throw new Error(`${where} answered ${status} without the JSON it declares`)
  return value
}

const longestMessage = 1000

async function refusal(
  response: LightMyRequestResponse,
  mediaType: string,
  rules: AnswerRules,
): Promise<string> {
  const status = `The route answered ${told(response.statusCode)}`
  if (!isJson(mediaType)) {
    discard(response)
    return status
  }
  const message = messageOf(await bounded(response, rules))
  return message === undefined ? status : message.slice(0, longestMessage)
}

/** The words of Fastify's own errors, or of a problem document (RFC 9457). */
function messageOf(text: string): string | undefined {
  const body = parsed(text)
  const { message, detail } = isJsonObject(body) ? body : {}
  return [message, detail].find((words): words is string => typeof words === 'string' && words !== '')
}

/** The value of a JSON text; what a parser says of a bad one repeats it, and stays here. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}

async function bounded(response: LightMyRequestResponse, { where, limit }: AnswerRules): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of response.stream() as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > limit) throw unusable(response, `${where} answered with more than ${limit} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}

function told(status: number): string {
  return `${status} ${STATUS_CODES[status] ?? ''}`.trim()
}

function unusable(response: LightMyRequestResponse, message: string): Error {
  discard(response)
  return new Error(message)
}

/** Nobody reads the rest; the route learns it as from a caller that went away. */
function discard(response: LightMyRequestResponse): void {
  response.raw.res.destroy()
  response
    .stream()
    .on('error', () => undefined)
    .destroy()
}
