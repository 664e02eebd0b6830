import type { RouteValues } from '../contract/context.js'
import { promptArguments, type CompiledSchema, type Schema } from '../contract/json-schema.js'
import { WireError } from '../errors.js'
import type { Call } from './call.js'
import type { AnyDefinition } from './handle.js'

/** Judges the values of a URL. */
export type RouteCheck = CompiledSchema['parse']

/** Compiles the schema of URL values, which are all strings. Throws `ERR_DEFINITION` for any other schema. */
export function routeCheck(schema: Schema, where: string): RouteCheck {
  return promptArguments(schema, where).parse
}

/** The checked values. Throws `ERR_ROUTE` for those a schema refuses. */
export async function checkRoute(check: RouteCheck, values: RouteValues): Promise<RouteValues> {
  const parsed = await check(values)
  if (!parsed.ok) throw new WireError('ERR_ROUTE', `Invalid value in the URL: ${parsed.issues}`)
  return parsed.value as RouteValues
}

const refinements = new WeakMap<AnyDefinition, RouteCheck>()

/** Applies the definition's own view of the URL values, if it has one. */
export async function refineRoute(call: Call, definition: AnyDefinition): Promise<void> {
  if (definition.route === undefined) return
  let check = refinements.get(definition)
  if (check === undefined) {
    check = routeCheck(definition.route, 'route')
    refinements.set(definition, check)
  }
  call.route = await checkRoute(check, call.route)
}
