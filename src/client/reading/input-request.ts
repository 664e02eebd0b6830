import { isJsonObject, type JsonObject } from '../../protocol/json.js'
import type { InputSupport } from '../caller-options.js'
import type { InputRequest } from '../input.js'
import { requestedSchemaProblem } from '../schema/requested-schema.js'
import { malformed, text } from './member.js'

/** The questions of an unfinished call and the state to send back. */
export interface Unfinished {
  readonly requests: Readonly<Record<string, InputRequest>>
  readonly requestState?: string
}

/** Reads an `input_required` result. Throws `MalformedResponseError` (MCP 2026-07-28, MR-1, MR-12). */
export function readUnfinished(result: JsonObject, support: InputSupport): Unfinished {
  const { inputRequests, requestState } = result
  if (inputRequests === undefined && requestState === undefined) {
    throw malformed('An unfinished result needs `inputRequests` or `requestState`')
  }
  if (requestState !== undefined && typeof requestState !== 'string') {
    throw malformed('`requestState` must be a string')
  }
  const requests = inputRequests === undefined ? {} : readInputRequests(inputRequests, support)
  return { requests, ...(requestState !== undefined && { requestState }) }
}

/** Reads questions by their keys. Throws `MalformedResponseError` for one that `support` does not declare. */
export function readInputRequests(
  value: unknown,
  support: InputSupport,
): Readonly<Record<string, InputRequest>> {
  if (!isJsonObject(value)) throw malformed('`inputRequests` must be an object')
  return Object.fromEntries(
    Object.entries(value).map(([key, request]) => [key, readInputRequest(request, key, support)]),
  )
}

function readInputRequest(value: unknown, key: string, support: InputSupport): InputRequest {
  const where = `input request ${JSON.stringify(key)}`
  if (!isJsonObject(value)) throw malformed(`${where} must be an object`)
  if (value['method'] !== 'elicitation/create') throw malformed(`${where}: unknown method`)
  const params = value['params']
  if (!isJsonObject(params)) throw malformed(`${where}: \`params\` must be an object`)
  text(params, 'message', where)
  const mode = Object.hasOwn(params, 'mode') ? params['mode'] : 'form'
  if (mode === 'form') checkForm(params, where)
  else if (mode === 'url') checkUrl(params, where)
  else throw malformed(`${where}: unknown mode`)
  if (support[mode] !== true) throw malformed(`${where}: mode "${mode}" was not declared`)
  return value as unknown as InputRequest
}

function checkForm(params: JsonObject, where: string): void {
  const problem = requestedSchemaProblem(params['requestedSchema'])
  if (problem !== undefined) throw malformed(`${where}: ${problem}`)
}

function checkUrl(params: JsonObject, where: string): void {
  const url = text(params, 'url', where)
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) {
    throw malformed(`${where}: \`url\` must be an http or https URL`)
  }
}
