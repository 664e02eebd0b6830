import type { ExtensionMethod } from '../contract/extension.js'
import { DefinitionError } from '../errors.js'
import { scopeAlternatives, type ScopeAlternatives, type ScopeRule } from '../oauth/scope.js'
import type { JsonObject } from '../protocol/json.js'
import type { CacheHint } from '../protocol/revision.js'
import {
  namedList,
  resourceList,
  templatesByName,
  type CallerCatalogs,
  type NamedSource,
} from './caller-catalog.js'
import type { Call } from './call.js'
import type { Catalog } from './catalog.js'
import { complete, referenced, unknownReference } from './completion.js'
import type { AnyDefinition } from './handle.js'
import type { RunHandler } from './handler.js'
import type { BeginInput } from './input/input-exchange.js'
import { Listing, visible, type ListEntry } from './listing.js'
import type { Method } from './method.js'
import { getPrompt, promptEntry, unknownPrompt } from './prompts.js'
import { readResource, resourceEntry, templateEntry, unknownResource } from './resources.js'
import { checkRoute } from './route.js'
import { callTool, toolEntry, unknownTool } from './tools.js'

/** How long lists stay fresh (milliseconds) and for whom; 0 and private when left out. */
export interface ListCaching {
  readonly tools?: CacheHint
  readonly resources?: CacheHint
  readonly templates?: CacheHint
  readonly prompts?: CacheHint
  readonly discover?: CacheHint
}

/** What the methods of a server are made of. */
export interface MethodParts {
  readonly catalog: Catalog
  readonly run: RunHandler
  readonly beginInput: BeginInput
  readonly serverInfo: string
  readonly pageSize: number
  readonly cache: ListCaching
  readonly hideUnauthorized: boolean
  readonly catalogs: CallerCatalogs
}

export const uncached: CacheHint = Object.freeze({ ttlMs: 0, scope: 'private' })

/**
 * The methods that tools, resources, prompts, completions and extensions bring; absent ones do not exist. Throws
 * `ERR_DEFINITION` for an extension method that would take the place of another.
 */
export function catalogMethods(parts: MethodParts): ReadonlyMap<string, Method> {
  const methods = new Map([
    ...toolMethods(parts),
    ...resourceMethods(parts),
    ...promptMethods(parts),
    ...completionMethods(parts),
  ])
  for (const [name, method] of extensionMethods(parts)) {
    if (methods.has(name) || name === 'server/discover' || name === 'subscriptions/listen')
      throw new DefinitionError(`extension method ${name} is served already`)
    methods.set(name, method)
  }
  return methods
}

function list(parts: MethodParts, member: string, entries: readonly ListEntry[], cache = uncached): Method {
  const { pageSize, serverInfo, hideUnauthorized } = parts
  const listing = new Listing({ member, entries, pageSize, cache, serverInfo, hideUnauthorized })
  return { run: (call) => listing.page(call) }
}

/** A list by name is fixed, or left to the host for each caller. */
function listByName(
  parts: MethodParts,
  member: string,
  entries: readonly ListEntry[],
  source: NamedSource | undefined,
  cache = uncached,
): Method {
  if (source === undefined) return list(parts, member, entries, cache)
  return namedList(
    member,
    new Map(entries.map((entry) => [entry.key, entry])),
    source,
    cache,
    parts.hideUnauthorized,
  )
}

function toolMethods(parts: MethodParts): [string, Method][] {
  const { tools, scopes } = parts.catalog
  if (tools === undefined) return []
  const call: Method = {
    nameParameter: 'name',
    scopes: ({ name }) => scopesOf(scopes, tools.get(name as string)?.definition),
    named: ({ name }) => tools.get(name as string)?.definition.name,
    unknown: unknownTool,
    run: (one) => callTool(tools, parts, one),
  }
  const entries = [...tools.values()].map((tool) => toolEntry(tool, scopes.get(tool.definition)))
  return [
    ['tools/list', listByName(parts, 'tools', entries, parts.catalogs.tools, parts.cache.tools)],
    ['tools/call', call],
  ]
}

function resourceMethods(parts: MethodParts): [string, Method][] {
  const { catalog, catalogs, cache } = parts
  const { resources, templates, index, scopes } = catalog
  if (resources === undefined) return []
  const read: Method = {
    nameParameter: 'uri',
    scopes: ({ uri }) => scopesOf(scopes, index.find(uri)?.bound.definition),
    named: ({ uri }) => index.find(uri)?.bound.definition.name,
    unknown: unknownResource,
    run: (call) => readResource(index, parts, call),
  }
  const isShown = (uri: string, { principal }: Call) =>
    !parts.hideUnauthorized ||
    visible({ scopes: scopesOf(scopes, index.find(uri)?.bound.definition) }, principal)
  const fixed = [...resources.values()].map((bound) => resourceEntry(bound, scopes.get(bound.definition)))
  const families = [...templates.values()].map((bound) => templateEntry(bound, scopes.get(bound.definition)))
  return [
    [
      'resources/list',
      catalogs.resources === undefined
        ? list(parts, 'resources', fixed, cache.resources)
        : resourceList(catalogs.resources, cache.resources ?? uncached, isShown),
    ],
    [
      'resources/templates/list',
      listByName(parts, 'resourceTemplates', families, templatesByName(catalogs), cache.templates),
    ],
    ['resources/read', read],
  ]
}

function promptMethods(parts: MethodParts): [string, Method][] {
  const { prompts, scopes } = parts.catalog
  if (prompts === undefined) return []
  const get: Method = {
    nameParameter: 'name',
    scopes: ({ name }) => scopesOf(scopes, prompts.get(name as string)?.definition),
    named: ({ name }) => prompts.get(name as string)?.definition.name,
    unknown: unknownPrompt,
    run: (call) => getPrompt(prompts, parts, call),
  }
  const entries = [...prompts.values()].map((prompt) => promptEntry(prompt, scopes.get(prompt.definition)))
  return [
    ['prompts/list', listByName(parts, 'prompts', entries, parts.catalogs.prompts, parts.cache.prompts)],
    ['prompts/get', get],
  ]
}

/** Whether anything can be completed. */
export function completes({ prompts, templates }: Catalog): boolean {
  return [...(prompts?.values() ?? []), ...templates.values()].some(({ completers }) => completers.size > 0)
}

function completionMethods({ catalog, run }: MethodParts): [string, Method][] {
  if (!completes(catalog)) return []
  const completable = { prompts: catalog.prompts ?? new Map<string, never>(), templates: catalog.templates }
  const method: Method = {
    scopes: (params: JsonObject) => scopesOf(catalog.scopes, referenced(completable, params)?.definition),
    named: (params: JsonObject) => referenced(completable, params)?.definition.name,
    unknown: unknownReference,
    run: (call) => complete(completable, run, call),
  }
  return [['completion/complete', method]]
}

function extensionMethods({ catalog, run }: MethodParts): [string, Method][] {
  return catalog.extensions.flatMap(({ id, methods = {} }) =>
    Object.entries(methods).map(([name, method]): [string, Method] => {
      const { nameParameter, unknown } = method
      return [
        name,
        {
          extension: id,
          ...(nameParameter === undefined ? {} : { nameParameter }),
          ...(unknown === undefined ? {} : { unknown }),
          scopes: extensionScopes(name, method),
          run: async (call) => {
            await checkRoute(call, method.route?.(call.envelope.params))
            const answer = await run(() => method.run(call.envelope.params, call), name, {}, call)
            return { members: membersOf(answer, name) }
          },
        },
      ]
    }),
  )
}

function extensionScopes(
  name: string,
  { scopes }: ExtensionMethod,
): (params: JsonObject) => ScopeAlternatives | undefined {
  const read = (rule: ScopeRule | undefined) =>
    rule === undefined ? undefined : scopeAlternatives(`scopes of ${name}`, rule)
  if (typeof scopes === 'function') return (params) => read(scopes(params))
  const rule = read(scopes)
  return () => rule
}

function membersOf(answer: unknown, name: string): string {
  const json = JSON.stringify(answer) as string | undefined
  if (json?.startsWith('{') === true) return json.slice(1, -1)
  throw new TypeError(`The handler of ${name} returned something that is not an object`)
}

function scopesOf(
  scopes: ReadonlyMap<AnyDefinition, ScopeAlternatives>,
  definition: AnyDefinition | undefined,
): ScopeAlternatives | undefined {
  return definition === undefined ? undefined : scopes.get(definition)
}
