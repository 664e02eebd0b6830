import { isJsonObject, type JsonObject } from '../../protocol/json.js'
import { mirroredParameters, type MirroredParameter } from '../../protocol/mirrored-parameters.js'
import type { CallerWarning } from '../caller-options.js'
import type { ListedTool } from '../listed.js'
import { list, malformed } from './member.js'

/** A list method: where its entries stand, and what an entry needs. */
interface ListKind {
  readonly member: string
  /** What names an entry. */
  readonly key: string
  readonly problem: (entry: JsonObject) => string | undefined
}

const needs =
  (...members: readonly string[]) =>
  (entry: JsonObject): string | undefined =>
    members
      .filter((member) => typeof entry[member] !== 'string')
      .map((member) => `\`${member}\` must be a string`)[0]

/** The list methods of the protocol (MCP 2026-07-28, "Pagination", PAGE-4). */
export const listKinds = {
  'tools/list': { member: 'tools', key: 'name', problem: toolProblem },
  'resources/list': { member: 'resources', key: 'uri', problem: needs('uri', 'name') },
  'resources/templates/list': {
    member: 'resourceTemplates',
    key: 'uriTemplate',
    problem: needs('uriTemplate', 'name'),
  },
  'prompts/list': { member: 'prompts', key: 'name', problem: needs('name') },
} as const satisfies Record<string, ListKind>

export type ListMethod = keyof typeof listKinds

export function isListMethod(method: string): method is ListMethod {
  return Object.hasOwn(listKinds, method)
}

/**
 * Leaves out of one page what is not valid, one by one and with a warning; the rest stays as it came. Throws
 * `MalformedResponseError` for a page that is none (MCP 2026-07-28, tools, HDR-26).
 */
export function readListPage(
  method: ListMethod,
  result: JsonObject,
  warn: (warning: CallerWarning) => void,
): JsonObject {
  const { member, key, problem }: ListKind = listKinds[method]
  const { nextCursor = null } = result
  if (nextCursor !== null && typeof nextCursor !== 'string') {
    throw malformed(`${method}: \`nextCursor\` must be a string`)
  }
  const entries = list(result, member, method).filter((entry) => {
    const reason = isJsonObject(entry) ? problem(entry) : 'it must be an object'
    if (reason === undefined) return true
    const name = isJsonObject(entry) ? entry[key] : undefined
    const shown = typeof name === 'string' ? ` ${JSON.stringify(name.slice(0, 128))}` : ''
    warn({
      message: `${method}: an entry${shown} was left out: ${reason}`,
      ...(method === 'tools/list' && typeof name === 'string' && { tool: name }),
    })
    return false
  })
  const rest = Object.entries(result).filter(([name]) => name !== 'nextCursor')
  return { ...Object.fromEntries(rest), [member]: entries, ...(nextCursor !== null && { nextCursor }) }
}

function toolProblem(entry: JsonObject): string | undefined {
  const { name, inputSchema, outputSchema, annotations } = entry
  if (typeof name !== 'string') return '`name` must be a string'
  if (!isJsonObject(inputSchema)) return '`inputSchema` must be an object'
  if (outputSchema !== undefined && !isJsonObject(outputSchema)) return '`outputSchema` must be an object'
  if (annotations !== undefined && !isJsonObject(annotations)) return '`annotations` must be an object'
  const parameters = parametersOf(inputSchema)
  return typeof parameters === 'string' ? parameters : undefined
}

const known = new WeakMap<object, readonly MirroredParameter[] | string>()

function parametersOf(inputSchema: object): readonly MirroredParameter[] | string {
  const found = known.get(inputSchema) ?? mirroredParameters(inputSchema)
  known.set(inputSchema, found)
  return found
}

/** The parameters a listed tool wants repeated in headers. */
export function listedParameters({ inputSchema }: ListedTool): readonly MirroredParameter[] {
  const found = parametersOf(inputSchema)
  return typeof found === 'string' ? [] : found
}
