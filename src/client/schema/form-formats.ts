const date = /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])$/
const time = /^(?:[01]\d|2[0-3]):[0-5]\d:(?:[0-5]\d|60)(?:\.\d{1,9})?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/i
const email = /^[^\s@]{1,64}@[^\s@.]{1,63}(?:\.[^\s@.]{1,63}){0,8}$/

/** The formats a form may ask for (MCP 2026-07-28, elicitation, EL-5). */
export const formats: ReadonlyMap<string, (value: string) => boolean> = new Map([
  ['email', (value: string) => email.test(value)],
  ['uri', (value: string) => URL.canParse(value)],
  ['date', isDate],
  [
    'date-time',
    (value: string) => {
      const [day = '', clock = '', ...more] = value.split(/[Tt]/)
      return more.length === 0 && isDate(day) && time.test(clock)
    },
  ],
])

/** Why a text does not have a format, or undefined. */
export function formatProblem(format: string, value: string): string | undefined {
  return formats.get(format)?.(value) === false ? `this is not of the format "${format}"` : undefined
}

function isDate(value: string): boolean {
  if (!date.test(value)) return false
  const parsed = new Date(`${value}T00:00:00Z`)
  return !Number.isNaN(parsed.getTime()) && parsed.toISOString().startsWith(value)
}
