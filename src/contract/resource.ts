import { DefinitionError } from '../errors.js'
import type { ScopeRule } from '../oauth/scope.js'
import type { CacheHint } from '../protocol/revision.js'
import { guarded, type Access, type Awaitable, type PrincipalOf, type ResourceContextOf } from './access.js'
import type { ResourceContents } from './content.js'
import { checkedInputs, type Asks, type Inputs } from './input/inputs.js'
import type { Schema, StringValues } from './schema/json-schema.js'
import { checkPresentation, type Annotations, type Presentation } from './presentation.js'
import { uriTemplate, type UriTemplate, type VariablesOf } from './uri-template/uri-template.js'
import { isAbsoluteUri } from './uri.js'

export interface ResourceOptions<
  Scopes extends ScopeRule | undefined,
  Route extends Schema | undefined,
  Declared extends Inputs | undefined,
>
  extends Presentation, Access<Scopes, Route>, Asks<Declared> {
  readonly name: string
  readonly mimeType?: string
  readonly annotations?: Annotations
  /** How long what was read stays fresh (milliseconds) and for whom; 0 and private when left out. */
  readonly cache?: CacheHint
}

interface ReadableDefinition<
  Scopes extends ScopeRule | undefined,
  Route extends Schema | undefined,
  Declared extends Inputs | undefined,
> {
  readonly name: string
  readonly mimeType: string | undefined
  readonly scopes: Scopes
  readonly route: Route
  readonly routeValues: StringValues | undefined
  readonly inputs: Declared
  readonly presentation: Presentation
  readonly annotations: Annotations | undefined
  readonly cache: CacheHint | undefined
}

/** A resource with one fixed URI. */
export interface ResourceDefinition<
  Scopes extends ScopeRule | undefined = ScopeRule | undefined,
  Route extends Schema | undefined = Schema | undefined,
  Declared extends Inputs | undefined = Inputs | undefined,
> extends ReadableDefinition<Scopes, Route, Declared> {
  readonly kind: 'resource'
  readonly uri: string
  readonly size: number | undefined
}

/** A family of resources whose URIs follow a template. */
export interface ResourceTemplateDefinition<
  Template extends string = string,
  Scopes extends ScopeRule | undefined = ScopeRule | undefined,
  Route extends Schema | undefined = Schema | undefined,
  Declared extends Inputs | undefined = Inputs | undefined,
> extends ReadableDefinition<Scopes, Route, Declared> {
  readonly kind: 'template'
  readonly uriTemplate: Template
  readonly template: UriTemplate<Template>
}

/** What reading may give: text, bytes, whole contents, or nothing when there is no such resource. */
export type ResourceReturn = string | Uint8Array | ResourceContents | readonly ResourceContents[] | undefined

export type ResourceHandler<D extends ResourceDefinition, Who = PrincipalOf<D>> = (
  input: Record<string, never>,
  context: ResourceContextOf<D, Who>,
) => Awaitable<ResourceReturn>

export type ResourceTemplateHandler<D extends ResourceTemplateDefinition, Who = PrincipalOf<D>> = (
  variables: VariablesOf<D['uriTemplate']>,
  context: ResourceContextOf<D, Who>,
) => Awaitable<ResourceReturn>

/**
 * Declares a resource with a fixed, absolute URI. `size` is in bytes before any encoding. Throws `ERR_DEFINITION` for
 * a URI that is not absolute (MCP 2026-07-28, resources).
 */
export function defineResource<
  const Scopes extends ScopeRule | undefined = undefined,
  Route extends Schema | undefined = undefined,
  Declared extends Inputs | undefined = undefined,
>(
  options: ResourceOptions<Scopes, Route, Declared> & { readonly uri: string; readonly size?: number },
): ResourceDefinition<Scopes, Route, Declared> {
  const where = `resource ${JSON.stringify(options.uri)}`
  if (!isAbsoluteUri(options.uri)) throw new DefinitionError(`${where}: a resource needs an absolute URI`)
  return Object.freeze({
    kind: 'resource',
    uri: options.uri,
    size: options.size,
    ...readable(where, options),
  })
}

/**
 * Declares resources by an RFC 6570 template; its variables are recovered from the URI and typed for the handler.
 * Throws `ERR_DEFINITION` for a template that is malformed or cannot be matched unambiguously.
 */
export function defineResourceTemplate<
  const Template extends string,
  const Scopes extends ScopeRule | undefined = undefined,
  Route extends Schema | undefined = undefined,
  Declared extends Inputs | undefined = undefined,
>(
  options: ResourceOptions<Scopes, Route, Declared> & { readonly uriTemplate: Template },
): ResourceTemplateDefinition<Template, Scopes, Route, Declared> {
  const where = `resource template ${JSON.stringify(options.uriTemplate)}`
  const template = uriTemplate(options.uriTemplate)
  return Object.freeze({
    kind: 'template',
    uriTemplate: options.uriTemplate,
    template,
    ...readable(where, options),
  })
}

function readable<
  Scopes extends ScopeRule | undefined,
  Route extends Schema | undefined,
  Declared extends Inputs | undefined,
>(
  where: string,
  options: ResourceOptions<Scopes, Route, Declared>,
): ReadableDefinition<Scopes, Route, Declared> {
  const { name, title, description, icons, meta, mimeType, annotations, cache } = options
  if (name === '') throw new DefinitionError(`${where}: a name is missing`)
  const presentation = { title, description, icons, meta } as Presentation
  checkPresentation(where, presentation)
  checkCache(where, cache)
  const inputs = checkedInputs(where, options)
  return { name, mimeType, annotations, ...guarded(where, options), inputs, presentation, cache }
}

/** A lifetime is a whole number of milliseconds, 0 or more. Throws `ERR_DEFINITION`. */
export function checkCache(where: string, cache: CacheHint | undefined): void {
  if (cache === undefined || (Number.isSafeInteger(cache.ttlMs) && cache.ttlMs >= 0)) return
  throw new DefinitionError(`${where}: cache.ttlMs must be a whole number of milliseconds, 0 or more`)
}
