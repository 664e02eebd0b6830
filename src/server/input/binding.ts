import { createHash } from 'node:crypto'
import { isJsonObject, type JsonObject } from '../../protocol/json.js'
import type { Call } from '../call.js'

/**
 * The one call a state belongs to, as a digest: server, caller, method, target, arguments and values of the URL (MCP
 * 2026-07-28, "Multi Round-Trip Requests", Server Requirements). Callers without a principal are all alike: for them
 * nothing but the secrecy of the state tells one from another.
 */
export function bindingOf(server: string, call: Call, target: string, args: JsonObject): string {
  const { principal, envelope, givenRoute } = call
  const caller =
    principal === undefined ? 'anonymous' : [principal.issuer, principal.subject, principal.clientId ?? null]
  const parts = [server, caller, envelope.method, target, args, givenRoute]
  return createHash('sha256').update(JSON.stringify(parts, sorted)).digest('base64url')
}

/** Clients may write the members of an object in another order when they ask again. */
function sorted(_key: string, value: unknown): unknown {
  if (!isJsonObject(value)) return value
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
}
