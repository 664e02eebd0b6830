import type { ResourceContents } from '../contract/content.js'
import { presented } from '../contract/presentation.js'
import type { ResourceDefinition, ResourceReturn, ResourceTemplateDefinition } from '../contract/resource.js'
import { wellFormed } from '../contract/uri-template/syntax.js'
import { WireError } from '../errors.js'
import type { ScopeAlternatives } from '../oauth/scope.js'
import type { JsonObject } from '../protocol/json.js'
import type { CacheHint, ResultBody } from '../protocol/revision.js'
import type { Call } from './call.js'
import type { Bound } from './handle.js'
import type { HandlerSteps } from './handler.js'
import { InputRequired } from './input/input-exchange.js'
import type { ListEntry } from './listing.js'
import { checkRoute } from './route.js'

export type BoundResource = Bound<ResourceDefinition>
export type BoundTemplate = Bound<ResourceTemplateDefinition>

/** A resource as `resources/list` shows it. */
export function resourceEntry(
  { definition }: BoundResource,
  scopes: ScopeAlternatives | undefined,
): ListEntry {
  const { uri, name, mimeType, size, annotations, presentation } = definition
  const json = JSON.stringify({ uri, name, mimeType, size, annotations, ...presented(presentation) })
  return { key: uri, scopes, json: () => json }
}

/** A template as `resources/templates/list` shows it. */
export function templateEntry(
  { definition }: BoundTemplate,
  scopes: ScopeAlternatives | undefined,
): ListEntry {
  const { uriTemplate, name, mimeType, annotations, presentation } = definition
  const json = JSON.stringify({ uriTemplate, name, mimeType, annotations, ...presented(presentation) })
  return { key: uriTemplate, scopes, json: () => json }
}

/** A resource that a URI leads to, with the variables its template recovered. */
export interface ResourceMatch {
  readonly bound: BoundResource | BoundTemplate
  readonly variables: unknown
}

/**
 * The resources of a server; a fixed URI wins over templates, which are tried in order. Writing a character in
 * another way changes nothing: `%61dmin` leads where `admin` does, to the same scopes (RFC 3986, section 6.2.2).
 */
export class ResourceIndex {
  readonly #fixed: ReadonlyMap<string, BoundResource>
  readonly #templates: readonly BoundTemplate[]

  constructor(fixed: readonly BoundResource[], templates: readonly BoundTemplate[]) {
    this.#fixed = new Map([
      ...fixed.map((bound) => [normalized(bound.definition.uri), bound] as const),
      ...fixed.map((bound) => [bound.definition.uri, bound] as const),
    ])
    this.#templates = templates
  }

  find(uri: unknown): ResourceMatch | undefined {
    if (typeof uri !== 'string') return undefined
    const normal = normalized(uri)
    const fixed = this.#fixed.get(uri) ?? this.#fixed.get(normal)
    if (fixed !== undefined) return { bound: fixed, variables: {} }
    for (const bound of this.#templates) {
      const variables = bound.definition.template.match(normal)
      if (variables !== undefined) return { bound, variables }
    }
    return undefined
  }
}

const longestNormalized = 8192

/** Characters are encoded only where they must be, in upper-case digits; longer URIs fit no template anyway. */
function normalized(uri: string): string {
  if (uri.length > longestNormalized || !/[%\u0080-\uffff]/.test(uri)) return uri
  return wellFormed(uri)
    .replace(/[^\u0000-\u007f]+/g, encodeURIComponent)
    .replace(/%[\da-f]{2}/gi, (encoded) => {
      const character = String.fromCharCode(Number.parseInt(encoded.slice(1), 16))
      return /[\w.~-]/.test(character) ? character : encoded.toUpperCase()
    })
}

const unshared: CacheHint = { ttlMs: 0, scope: 'private' }

/** Answers `resources/read`. A resource that does not exist is an error, never empty contents. */
export async function readResource(
  index: ResourceIndex,
  { beginInput, run }: HandlerSteps,
  call: Call,
): Promise<ResultBody> {
  const { uri } = call.envelope.params
  if (typeof uri !== 'string') throw new WireError('ERR_PARAMS', '`uri` must be a string')
  const match = index.find(uri)
  if (match === undefined) throw unknownResource(call.envelope.params)
  const { definition, handler } = match.bound
  await checkRoute(call, definition.routeValues)
  call.uri = uri
  const { inputs } = definition
  if (inputs !== undefined) await beginInput(call, { inputs, name: uri, args: {} })
  const returned = await run(handler, uri, match.variables, call)
  if (returned instanceof InputRequired) return returned.body
  if (returned === undefined) throw unknownResource(call.envelope.params)
  const contents = JSON.stringify(
    contentsOf(returned as NonNullable<ResourceReturn>, uri, definition.mimeType),
  )
  return { members: `"contents":${contents}`, cache: definition.cache ?? unshared }
}

export function unknownResource({ uri }: JsonObject): WireError {
  return new WireError('ERR_RESOURCE', undefined, { uri })
}

function contentsOf(
  returned: NonNullable<ResourceReturn>,
  uri: string,
  mimeType?: string,
): readonly ResourceContents[] {
  const described = mimeType === undefined ? { uri } : { uri, mimeType }
  if (typeof returned === 'string') return [{ ...described, text: returned }]
  if (returned instanceof Uint8Array)
    return [{ ...described, blob: Buffer.from(returned).toString('base64') }]
  const list = Array.isArray(returned)
    ? (returned as readonly ResourceContents[])
    : [returned as ResourceContents]
  for (const contents of list) {
    if (typeof contents.uri === 'string' && ('text' in contents || 'blob' in contents)) continue
    throw new TypeError(`The handler of resource ${uri} returned contents without a uri and text or blob`)
  }
  return list
}
