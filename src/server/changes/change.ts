import { isJsonObject } from '../../protocol/json.js'

/** Somebody who may hear of a change: an issuer and a subject of it, such as a principal. */
export interface Identity {
  readonly issuer: string
  readonly subject: string
}

/** What changed. */
export type Changed =
  | { readonly kind: 'tools' | 'prompts' | 'resources' }
  | { readonly kind: 'resource'; readonly uri: string }
  | { readonly kind: 'state'; readonly filter: string; readonly id: string }

/** A change as a bus carries it; without `to`, whoever follows it may hear of it. */
export type Change = Changed & { readonly to?: readonly Identity[] }

/** Characters a change may have as JSON; longer ones are neither sent nor heard. */
const longestChange = 64 * 1024

/** Where those who follow a change are found. */
export function topicOf(changed: Changed): string {
  if (changed.kind === 'resource') return `resource\n${changed.uri}`
  return changed.kind === 'state' ? `state\n${changed.filter}\n${changed.id}` : changed.kind
}

/** A change as JSON text. Throws `RangeError` for one that is too long. */
export function writeChange(change: Change): string {
  const text = JSON.stringify(change)
  if (text.length <= longestChange) return text
  throw new RangeError(`A change has more than ${longestChange} characters; name fewer in \`to\``)
}

/** The change in a text from outside, or undefined: anything may be on a channel. */
export function readChange(text: string): Change | undefined {
  if (text.length > longestChange) return undefined
  try {
    const value: unknown = JSON.parse(text)
    const changed = isJsonObject(value) ? readChanged(value) : undefined
    if (!isJsonObject(value) || changed === undefined) return undefined
    const { to } = value
    if (to === undefined) return changed
    return Array.isArray(to) && to.every(isIdentity) ? { ...changed, to: to.map(identity) } : undefined
  } catch {
    return undefined
  }
}

function readChanged({ kind, uri, filter, id }: Readonly<Record<string, unknown>>): Changed | undefined {
  if (kind === 'tools' || kind === 'prompts' || kind === 'resources') return { kind }
  if (kind === 'resource' && typeof uri === 'string') return { kind, uri }
  if (kind === 'state' && typeof filter === 'string' && typeof id === 'string') return { kind, filter, id }
  return undefined
}

/** Whether a value names somebody. */
export function isIdentity(value: unknown): value is Identity {
  return isJsonObject(value) && typeof value['issuer'] === 'string' && typeof value['subject'] === 'string'
}

/** A principal without all that nobody else needs to know of it. */
export function identity({ issuer, subject }: Identity): Identity {
  return { issuer, subject }
}
