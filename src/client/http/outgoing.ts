import { isJsonObject, type JsonObject } from '../../protocol/json.js'
import { metaKey } from '../../protocol/meta.js'
import type { ChannelRequest } from '../channel.js'
import { InternalClientError } from '../errors.js'

/** A request as it goes on the wire. */
export interface Outgoing {
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

const fieldName = /^[!#$%&'*+.^_`|~0-9a-z-]+$/
/** Fields of the connection, which is not the caller's. */
const connectionFields = new Set([
  'connection',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])
const fieldValue = /^(?:[\x21-\x7e](?:[\t\x20-\x7e]*[\x21-\x7e])?)?$/

/** Writes the message and its headers. Throws `InternalClientError` for what cannot be sent as it is. */
export function outgoing({ id, method, params, headers }: ChannelRequest): Outgoing {
  // Members first and the others after them: the other way round costs microseconds.
  const all: Record<string, string> = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': version(params),
    'mcp-method': method,
  }
  for (const [name, value] of Object.entries(headers)) {
    if (!Object.hasOwn(all, name)) all[name] = value
  }
  for (const [name, value] of Object.entries(all)) checkHeader(name, value)
  return { headers: all, body: text({ jsonrpc: '2.0', id, method, params }) }
}

/** The header repeats the body, so it is taken from there. */
function version(params: JsonObject): string {
  const meta = params['_meta']
  const own = isJsonObject(meta) ? meta[metaKey.protocolVersion] : undefined
  return typeof own === 'string' ? own : '2026-07-28'
}

function checkHeader(name: string, value: unknown): void {
  if (!fieldName.test(name) || connectionFields.has(name)) {
    throw new InternalClientError(`A request header cannot be named ${JSON.stringify(name)}`)
  }
  if (typeof value !== 'string' || !fieldValue.test(value)) {
    throw new InternalClientError(`The value of the request header ${name} cannot be sent`)
  }
}

function text(message: JsonObject): string {
  try {
    return JSON.stringify(message)
  } catch (cause) {
    throw new InternalClientError('The parameters cannot be written as JSON', { cause })
  }
}
