import type { Principal } from '../oauth/principal.js'
import { scopeAlternatives, type ScopeRule } from '../oauth/scope.js'
import type { HandlerContext, ResourceContext, RouteValues } from './context.js'
import type { InputOfHandler, Inputs } from './input/inputs.js'
import { stringValues, type ParsedOf, type Schema, type StringValues } from './schema/json-schema.js'

/** Who may use a thing and under which URL values. */
export interface Access<Scopes extends ScopeRule | undefined, Route extends Schema | undefined> {
  /**
   * Scopes a caller needs: all of `['a', 'b']`, or all of one alternative in `[['a'], ['admin']]`; `[]` means any
   * authenticated caller. Left out, the server's `basicScopes` apply.
   */
  readonly scopes?: Scopes
  /** Refines the values of the endpoint's URL for this handler. */
  readonly route?: Route
}

/** The part of a definition from which a handler's context is typed. */
interface Guarded {
  readonly scopes: ScopeRule | undefined
  readonly route: Schema | undefined
  readonly inputs: Inputs | undefined
  /** Judges the values of the endpoint's URL; undefined when the definition has no view of its own. */
  readonly routeValues: StringValues | undefined
}

/** Who a handler can count on: a definition that declares scopes is never reached without a principal. */
export type PrincipalOf<D extends Guarded> = D['scopes'] extends ScopeRule ? Principal : Principal | undefined

type RouteOf<D extends Guarded> = D['route'] extends Schema ? ParsedOf<D['route']> : RouteValues

type AskedBy<D extends Guarded> = D['inputs'] extends Inputs ? InputOfHandler<D['inputs']> : undefined

export type ContextOf<D extends Guarded, Who = PrincipalOf<D>> = HandlerContext<Who, RouteOf<D>, AskedBy<D>>

export type ResourceContextOf<D extends Guarded, Who = PrincipalOf<D>> = ResourceContext<
  Who,
  RouteOf<D>,
  AskedBy<D>
>

export type Awaitable<T> = T | Promise<T>

/** Checks scopes and the view of the URL where they are written. Throws `ERR_DEFINITION` and `ERR_OPTION`. */
export function guarded<Scopes extends ScopeRule | undefined, Route extends Schema | undefined>(
  where: string,
  { scopes, route }: Access<Scopes, Route>,
): { readonly scopes: Scopes; readonly route: Route; readonly routeValues: StringValues | undefined } {
  if (scopes !== undefined) scopeAlternatives(`${where}: scopes`, scopes)
  const routeValues = route === undefined ? undefined : stringValues(route, `${where}: route`)
  return { scopes: scopes as Scopes, route: route as Route, routeValues }
}
