import type { RouteValues } from '../contract/context.js'
import type { StringValues } from '../contract/schema/json-schema.js'
import { WireError } from '../errors.js'
import type { Call } from './call.js'

/** Replaces the values of the URL by the checked ones. Throws `ERR_ROUTE` for those the schema refuses. */
export async function checkRoute(call: Call, values: StringValues | undefined): Promise<void> {
  if (values === undefined) return
  const parsed = await values.parse(call.route)
  if (!parsed.ok) throw new WireError('ERR_ROUTE', `Invalid value in the URL: ${parsed.issues}`)
  call.route = parsed.value as RouteValues
}
