import { isJsonObject, type JsonObject } from '../protocol/json.js'

/** Judges one value against one property of a form: what is expected when it does not fit, else undefined. */
export function misfit(value: unknown, property: unknown): string | undefined {
  if (!isJsonObject(property)) return 'a property this host understands'
  switch (property['type']) {
    case 'string':
      return typeof value === 'string' ? misfitText(value, property) : 'text'
    case 'integer':
      return Number.isSafeInteger(value) ? misfitNumber(Number(value), property) : 'a whole number'
    case 'number':
      return typeof value === 'number' && Number.isFinite(value) ? misfitNumber(value, property) : 'a number'
    case 'boolean':
      return typeof value === 'boolean' ? undefined : 'true or false'
    case 'array':
      return Array.isArray(value) ? misfitList(value as unknown[], property) : 'a list of texts'
    default:
      return 'a property this host understands'
  }
}

function misfitText(value: string, property: JsonObject): string | undefined {
  const choices = choicesOf(property)
  if (choices !== undefined) return choices.includes(value) ? undefined : 'one of the choices'
  const { format } = property
  const length = Array.from(value).length
  return (
    outside(length, property['minLength'], property['maxLength'], 'characters') ??
    (typeof format === 'string' && formats.get(format)?.(value) === false ? format : undefined)
  )
}

function misfitNumber(value: number, property: JsonObject): string | undefined {
  return outside(value, property['minimum'], property['maximum'])
}

function misfitList(values: readonly unknown[], property: JsonObject): string | undefined {
  const { items } = property
  const choices = isJsonObject(items) ? choicesOf(items) : undefined
  const known = values.every(
    (value) => typeof value === 'string' && (choices === undefined || choices.includes(value)),
  )
  if (!known) return 'choices of the list'
  return outside(values.length, property['minItems'], property['maxItems'], 'choices')
}

/** Choices are an `enum`, or constants with titles (MCP 2026-07-28, elicitation, "EnumSchema"). */
function choicesOf(property: JsonObject): readonly unknown[] | undefined {
  const titled = property['oneOf'] ?? property['anyOf']
  if (Array.isArray(property['enum'])) return property['enum'] as unknown[]
  if (!Array.isArray(titled)) return undefined
  return titled.map((choice: unknown) => (isJsonObject(choice) ? choice['const'] : undefined))
}

function outside(value: number, least: unknown, most: unknown, of?: string): string | undefined {
  const unit = of === undefined ? '' : ` ${of}`
  if (typeof least === 'number' && value < least) return `at least ${least}${unit}`
  if (typeof most === 'number' && value > most) return `at most ${most}${unit}`
  return undefined
}

const date = /^\d{4}-\d{2}-\d{2}$/
const dateTime = /^\d{4}-\d{2}-\d{2}[Tt ]\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:[Zz]|[+-]\d{2}:\d{2})$/

/** The formats forms may ask for; others are hints. */
const formats = new Map<string, (value: string) => boolean>([
  ['email', (value) => /^[^\s@]+@[^\s@]+$/.test(value)],
  ['uri', (value) => URL.canParse(value)],
  ['date', (value) => date.test(value) && isDay(value)],
  ['date-time', (value) => dateTime.test(value) && isDay(value.slice(0, 10)) && !isNaN(Date.parse(value))],
])

function isDay(value: string): boolean {
  const day = new Date(`${value}T00:00:00Z`)
  return !isNaN(day.getTime()) && day.toISOString().startsWith(value)
}
