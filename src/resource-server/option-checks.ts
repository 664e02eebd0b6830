import { DefinitionError } from '../errors.js'

/** One of the choices. */
export function oneOf(name: string, value: string, choices: readonly string[]): void {
  if (!choices.includes(value)) refuse(name, `must be one of: ${choices.join(', ')}`)
}

/** A copy of a list of non-empty strings. */
export function texts(name: string, values: readonly string[]): readonly string[] {
  const given: unknown = values
  const isRight = Array.isArray(given) && given.every((value) => typeof value === 'string' && value !== '')
  if (!isRight) refuse(name, 'must be a list of non-empty strings')
  return [...values]
}

/** A number from `min` to `max`. */
export function amount(name: string, value: number, min: number, max: number): number {
  if (typeof value !== 'number' || !(value >= min && value <= max))
    refuse(name, `must be from ${min} to ${max}`)
  return value
}

/** A whole number from `min` to `max`. */
export function count(name: string, value: number, min: number, max: number): number {
  if (!Number.isInteger(value)) refuse(name, 'must be a whole number')
  return amount(name, value, min, max)
}

/** Throws `DefinitionError` (`ERR_OPTION`) that names the option and what is wrong with it. */
export function refuse(name: string, problem: string): never {
  throw new DefinitionError(`\`${name}\` ${problem}`, 'ERR_OPTION')
}
