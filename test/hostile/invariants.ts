import { isUtf8 } from 'node:buffer'
import { events } from '../wire.js'
import type { HostileAnswer } from './answer.js'
import type { ServerKind } from './fuzz-servers.js'
import type { Generated } from './generate.js'

const statuses: Readonly<Record<ServerKind, ReadonlySet<number>>> = {
  open: new Set([200, 202, 400, 403, 404, 405, 406, 413, 415]),
  guarded: new Set([200, 202, 400, 401, 403, 404, 405, 406, 413, 415]),
  undecided: new Set([400, 401, 403, 405, 503]),
}
/** What Node and other routes of the app may answer when a request does not reach the endpoint. */
const byHttp = new Set([400, 404, 413, 415, 417, 431])
const leak = /secret-detail|node_modules|file:\/\/|\.[jt]s:\d+|\bat (?:async )?[\w.<>]+ \(|eyJ/

/** What is wrong with an answer, or undefined. */
export function broken(
  kind: ServerKind,
  { request, message, brokenHttp }: Generated,
  { status, headers, text }: HostileAnswer,
): string | undefined {
  const expects = request.lines.some((line) => /^expect:/i.test(line))
  const http = (brokenHttp || expects) && byHttp.has(status)
  if (!statuses[kind].has(status) && !http) return `the status ${status}`
  if (leak.test(text)) return `something of the inside: ${text}`
  const challenge = headers.has('www-authenticate')
  if (challenge && (kind === 'open' || status === 200 || status === 503)) return `a challenge on ${status}`
  if (status === 401 && !challenge) return 'a 401 without a challenge'
  if (challenge && text !== '') return 'a challenge with a body'
  if (text === '') {
    const silent = status === 202 || status === 405 || status === 503 || challenge || http
    return silent || request.method === 'HEAD' ? undefined : `an empty ${status}`
  }
  if (http || (status === 403 && text.startsWith('Forbidden'))) return undefined
  return brokenMessages(message, headers.get('content-type') ?? '', text)
}

function brokenMessages(sent: Generated['message'], type: string, text: string): string | undefined {
  const id = sent === undefined ? anyId : sentId(sent)
  try {
    if (!type.startsWith('text/event-stream'))
      return type.startsWith('application/json') ? brokenReply(id, JSON.parse(text)) : `the type ${type}`
    const messages = events(text)
    for (const message of messages.slice(0, -1))
      if (message.method !== 'notifications/progress' || 'id' in message)
        return `a message on a stream: ${text}`
    return brokenReply(id, messages.at(-1))
  } catch {
    return `no JSON: ${text}`
  }
}

function brokenReply(id: unknown, reply: any): string | undefined {
  if (reply?.jsonrpc !== '2.0' || 'result' in reply === 'error' in reply)
    return `no reply: ${JSON.stringify(reply)}`
  if (id !== anyId && ('id' in reply ? reply.id !== id : 'result' in reply))
    return `the id ${JSON.stringify(reply.id)}`
  if ('result' in reply) return isObject(reply.result) ? undefined : 'a result that is no object'
  const { code, message } = reply.error
  return Number.isInteger(code) && typeof message === 'string'
    ? undefined
    : 'an error without code or message'
}

const anyId = Symbol('any id')
const isObject = (value: unknown) => typeof value === 'object' && value !== null && !Array.isArray(value)

/** The id a sender would look for; `undefined` when its message has none. */
function sentId(body: string | Uint8Array): unknown {
  const bytes = Buffer.from(body)
  if (!isUtf8(bytes)) return undefined
  try {
    return JSON.parse(bytes.toString()).id
  } catch {
    return undefined
  }
}
