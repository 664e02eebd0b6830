import { safeParse, type $ZodType } from 'zod/v4/core'
import type { Principal } from '../oauth/principal.js'
import { deepFreeze } from './deep-freeze.js'
import { refuse } from './option-checks.js'

/** A synchronous zod 4 schema of an object, such as `z.object({ tenant: z.string() })`. */
export type ClaimsSchema<Claims> = $ZodType<Claims>

/** Gives a principal whose claims are as a schema says, or undefined when they do not fit it. */
export type ClaimsReader = (principal: Principal) => Principal | undefined

/**
 * Makes the reader for the principals of verified tokens; without a schema it changes nothing.
 *
 * Claims that the schema declares are as it parsed them, with defaults and transforms; all others stay. Plain objects
 * and lists are frozen at every depth. A schema that throws fits nothing. Throws `DefinitionError` (`ERR_OPTION`) for
 * what is not a schema.
 */
export function claimsReader(name: string, schema: ClaimsSchema<unknown> | undefined): ClaimsReader {
  if (schema === undefined) return (principal) => principal
  const given: unknown = schema
  if (typeof given !== 'object' || given === null || !('_zod' in given))
    refuse(name, 'must be a zod schema of an object')
  return (principal) => {
    const parsed = parse(schema, principal.claims)
    if (typeof parsed !== 'object' || parsed === null) return undefined
    return deepFreeze({ ...principal, claims: { ...principal.claims, ...parsed } })
  }
}

function parse(schema: ClaimsSchema<unknown>, claims: unknown): unknown {
  try {
    return safeParse(schema, claims).data
  } catch {
    return undefined
  }
}
