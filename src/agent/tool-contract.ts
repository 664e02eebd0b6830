import { createHash } from 'node:crypto'
import { isJsonObject } from '../protocol/json.js'

/** A digest of what a tool takes and gives, the same for the same schemas whatever the order of their members. */
export function toolContract(name: string, input: unknown, output: unknown): string {
  const text = JSON.stringify(sorted({ name, input, output: output ?? null }))
  return createHash('sha256').update(text).digest('base64url')
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (!isJsonObject(value)) return value
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries(members.map(([key, member]) => [key, sorted(member)]))
}
