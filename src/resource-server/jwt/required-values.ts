import { refuse } from '../option-checks.js'

/** Claims that must have one of some values, each with them. */
export type RequiredValues = readonly (readonly [claim: string, values: ReadonlySet<unknown>])[]

/** Reads `{ token_use: 'access', client_id: ['a', 'b'] }`. */
export function requiredValues(
  name: string,
  required: Readonly<Record<string, string | readonly string[]>>,
): RequiredValues {
  return Object.entries(required).map(([claim, given]) => {
    const values: readonly unknown[] = [given].flat()
    if (values.length === 0 || !values.every((value) => typeof value === 'string' && value !== ''))
      refuse(name, `must give ${JSON.stringify(claim)} a non-empty string or a list of them`)
    return [claim, new Set(values)]
  })
}

/** Whether each of these claims is a string and one of its values. */
export function hasRequiredValues(
  claims: Readonly<Record<string, unknown>>,
  required: RequiredValues,
): boolean {
  return required.every(([claim, values]) => values.has(claims[claim]))
}
