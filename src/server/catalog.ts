import { DefinitionError } from '../errors.js'
import { scopeAlternatives, type ScopeAlternatives, type ScopeRule } from '../oauth/scope.js'
import type { PromptDefinition } from '../contract/prompt.js'
import type { Extension } from '../contract/extension.js'
import { metaKeyProblem } from '../protocol/meta.js'
import type { AnyDefinition, Bound } from './handle.js'
import { servePrompt, type BoundPrompt } from './prompts.js'
import { ResourceIndex, type BoundResource, type BoundTemplate } from './resources.js'
import { serveTool, type BoundTool, type ServedTool } from './tools.js'

/** What a server offers; a kind that is left out is not advertised and its methods do not exist. */
export interface Offer {
  readonly tools?: readonly BoundTool[]
  readonly resources?: readonly (BoundResource | BoundTemplate)[]
  readonly prompts?: readonly (BoundPrompt | PromptDefinition)[]
  readonly extensions?: readonly Extension[]
}

/** Everything a server offers, checked once and never changed. */
export interface Catalog {
  readonly tools: ReadonlyMap<string, ServedTool> | undefined
  readonly resources: ReadonlyMap<string, BoundResource> | undefined
  readonly templates: ReadonlyMap<string, BoundTemplate>
  readonly prompts: ReadonlyMap<string, BoundPrompt> | undefined
  readonly index: ResourceIndex
  readonly extensions: readonly Extension[]
  /** The scopes of a definition that declares some. */
  readonly scopes: ReadonlyMap<AnyDefinition, ScopeAlternatives>
}

/** Builds the catalog. Throws `ERR_DEFINITION` for a name, URI or template that stands twice, `ERR_OPTION` for no list. */
export function buildCatalog(offer: Offer): Catalog {
  checkBound('tools', offer.tools)
  checkBound('resources', offer.resources)
  const resources = offer.resources?.filter(
    (bound): bound is BoundResource => bound.definition.kind === 'resource',
  )
  const templates =
    offer.resources?.filter((bound): bound is BoundTemplate => bound.definition.kind === 'template') ?? []
  const tools = offer.tools?.map(serveTool)
  const prompts = offer.prompts?.map(servePrompt)
  const extensions = [...(offer.extensions ?? []), ...joinedBy(offer.tools ?? [])]
  checkExtensions(extensions)
  return Object.freeze({
    tools: tools && unique('tool', tools, ({ definition }) => definition.name),
    resources: resources && unique('resource', resources, ({ definition }) => definition.uri),
    templates: unique('resource template', templates, ({ definition }) => definition.uriTemplate),
    prompts: prompts && unique('prompt', prompts, ({ definition }) => definition.name),
    index: new ResourceIndex(resources ?? [], templates),
    extensions,
    scopes: declaredScopes([...(tools ?? []), ...(resources ?? []), ...templates, ...(prompts ?? [])]),
  })
}

/** A definition that was never given its handler is the likeliest slip in plain JavaScript. */
function checkBound(kind: string, list: unknown): void {
  if (list === undefined) return
  const isBound = (item: unknown) => typeof item === 'object' && item !== null && 'definition' in item
  if (Array.isArray(list) && list.every(isBound)) return
  throw new DefinitionError(`\`${kind}\` must be a list of what handle() gives`, 'ERR_OPTION')
}

function unique<T>(kind: string, items: readonly T[], key: (item: T) => string): ReadonlyMap<string, T> {
  const map = new Map<string, T>()
  for (const item of items) {
    if (map.has(key(item))) throw new DefinitionError(`${kind} ${JSON.stringify(key(item))} stands twice`)
    map.set(key(item), item)
  }
  return map
}

function declaredScopes(
  bound: readonly Bound<AnyDefinition>[],
): ReadonlyMap<AnyDefinition, ScopeAlternatives> {
  const scopes = new Map<AnyDefinition, ScopeAlternatives>()
  for (const { definition } of bound) {
    const rule: ScopeRule | undefined = definition.scopes
    if (rule !== undefined) scopes.set(definition, scopeAlternatives(`scopes of ${nameOf(definition)}`, rule))
  }
  return scopes
}

/** How a definition is called in messages. */
export function nameOf(definition: AnyDefinition): string {
  if (definition.kind === 'resource') return `resource ${definition.uri}`
  if (definition.kind === 'template') return `resource template ${definition.uriTemplate}`
  return `${definition.kind} ${definition.name}`
}

/** The extensions through which calls of tools go on, each once. */
function joinedBy(tools: readonly BoundTool[]): Extension[] {
  const joins = new Set(tools.flatMap(({ deferral }) => (deferral === undefined ? [] : [deferral.join])))
  return [...joins].map((join) => join(tools))
}

function checkExtensions(extensions: readonly Extension[]): void {
  unique('extension', extensions, ({ id }) => id)
  for (const { id } of extensions) {
    const reserved = id.startsWith('io.modelcontextprotocol/')
    if (!id.includes('/') || (!reserved && metaKeyProblem(id) !== undefined)) {
      throw new DefinitionError(
        `extension ${JSON.stringify(id)} needs an identifier such as com.example/reports`,
      )
    }
  }
}
