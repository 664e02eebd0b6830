import { isJsonObject, type JsonObject } from '../../protocol/json.js'
import { MalformedResponseError } from '../errors.js'

/** An answer that breaks the protocol, in words. */
export function malformed(message: string, options?: ErrorOptions): MalformedResponseError {
  return new MalformedResponseError(message, options)
}

/** A required text of an object; `where` begins the message. Throws `MalformedResponseError`. */
export function text(object: JsonObject, member: string, where: string): string {
  const value = object[member]
  if (typeof value === 'string') return value
  throw malformed(`${where}: \`${member}\` must be a string`)
}

/** Checks that a member is text where it is present. Throws `MalformedResponseError`. */
export function optionalText(object: JsonObject, member: string, where: string): string | undefined {
  return object[member] === undefined ? undefined : text(object, member, where)
}

/** An optional object. Throws `MalformedResponseError`. */
export function optionalObject(object: JsonObject, member: string, where: string): JsonObject | undefined {
  const value = object[member]
  if (value === undefined || isJsonObject(value)) return value
  throw malformed(`${where}: \`${member}\` must be an object`)
}

/** A required list. Throws `MalformedResponseError`. */
export function list(object: JsonObject, member: string, where: string): readonly unknown[] {
  const value = object[member]
  if (Array.isArray(value)) return value
  throw malformed(`${where}: \`${member}\` must be a list`)
}
