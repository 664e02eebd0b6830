import type { JsonObject } from '../../protocol/json.js'
import { malformed } from './member.js'

/** What kind of result came. */
export type ResultType = 'complete' | 'input_required' | 'task'

/** Methods that may answer with questions (MCP 2026-07-28, basic, "Multi Round-Trip Requests", MR-10). */
const askable = new Set(['tools/call', 'prompts/get', 'resources/read'])

/** Whether a method may answer with questions. */
export function mayAsk(method: string): boolean {
  return askable.has(method)
}

/**
 * Reads `resultType`: absent means complete, and only what this request allowed for is taken. Throws
 * `MalformedResponseError` (MCP 2026-07-28, basic, "Results", WIRE-10 and WIRE-11).
 */
export function resultType(
  method: string,
  result: JsonObject,
  allowed: { readonly unfinished: boolean; readonly task: boolean },
): ResultType {
  const type = Object.hasOwn(result, 'resultType') ? result['resultType'] : 'complete'
  if (type === 'complete') return type
  if (type === 'input_required' && allowed.unfinished && mayAsk(method)) return type
  if (type === 'task' && allowed.task && method === 'tools/call') return type
  throw malformed(`The result of ${method} has a resultType this request did not allow for`)
}
