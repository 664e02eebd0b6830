import { WireError } from '../../errors.js'
import { isJsonObject, type JsonObject } from '../../protocol/json.js'
import { topicOf } from '../changes/change.js'

/** A list whose changes can be followed. */
export type ListKind = 'tools' | 'prompts' | 'resources'

/** What is followed: by kinds of lists, by URIs, and by ids of extensions under their filter members. */
export interface Selection {
  readonly lists: readonly ListKind[]
  readonly resources: readonly string[]
  readonly states: Readonly<Record<string, readonly string[]>>
}

const flags: Readonly<Record<ListKind, string>> = {
  tools: 'toolsListChanged',
  prompts: 'promptsListChanged',
  resources: 'resourcesListChanged',
}

const listKinds = Object.keys(flags) as readonly ListKind[]

/**
 * Reads the filter of a listen request; what it holds besides is for other revisions. `members` are those of extensions.
 * Throws `ERR_PARAMS` for a malformed one or more URIs and ids than `most` (MCP 2026-07-28, "Subscriptions").
 */
export function readFilter(params: JsonObject, members: Iterable<string>, most: number): Selection {
  const { notifications: filter } = params
  if (!isJsonObject(filter)) throw new WireError('ERR_PARAMS', '`notifications` must be an object')
  const lists = listKinds.filter((kind) => {
    const wanted = filter[flags[kind]] ?? false
    if (typeof wanted !== 'boolean')
      throw new WireError('ERR_PARAMS', `\`${flags[kind]}\` must be true or false`)
    return wanted
  })
  const resources = texts(filter, 'resourceSubscriptions') ?? []
  const states: Record<string, readonly string[]> = {}
  let count = resources.length
  for (const member of members) {
    const ids = texts(filter, member)
    if (ids === undefined) continue
    states[member] = ids
    count += ids.length
  }
  if (count > most) throw new WireError('ERR_PARAMS', `One stream follows at most ${most} URIs and ids`)
  return { lists, resources, states }
}

function texts(filter: JsonObject, member: string): readonly string[] | undefined {
  const list = filter[member]
  if (list === undefined || list === null) return undefined
  if (Array.isArray(list) && list.every((one) => typeof one === 'string')) return [...new Set(list)]
  throw new WireError('ERR_PARAMS', `\`${member}\` must be a list of strings`)
}

/** A selection as the acknowledgement tells it: only what is followed. */
export function writeFilter({ lists, resources, states }: Selection): JsonObject {
  const followed = Object.entries(states).filter(([, ids]) => ids.length > 0)
  return {
    ...Object.fromEntries(lists.map((kind) => [flags[kind], true])),
    ...(resources.length === 0 ? {} : { resourceSubscriptions: resources }),
    ...Object.fromEntries(followed),
  }
}

/** The topics of a selection. */
export function topicsOf({ lists, resources, states }: Selection): string[] {
  return [
    ...lists,
    ...resources.map((uri) => topicOf({ kind: 'resource', uri })),
    ...Object.entries(states).flatMap(([filter, ids]) =>
      ids.map((id) => topicOf({ kind: 'state', filter, id })),
    ),
  ]
}
