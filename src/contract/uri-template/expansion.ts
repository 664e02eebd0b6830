import { parseUriTemplate, wellFormed, type TemplateExpression, type TemplateVariable } from './syntax.js'

type Scalar = string | number | boolean

/** What a variable of a URI template may be given: text, a list, or pairs; `undefined` and `null` leave it out. */
export type TemplateValue = Scalar | readonly Scalar[] | Readonly<Record<string, Scalar>> | null | undefined

interface Style {
  readonly first: string
  readonly separator: string
  readonly named: boolean
  readonly ifEmpty: string
  readonly reserved: boolean
}

const style = (first: string, separator: string, named = false, ifEmpty = '', reserved = false): Style => ({
  first,
  separator,
  named,
  ifEmpty,
  reserved,
})

const styles: Record<TemplateExpression['operator'], Style> = {
  '': style('', ','),
  '+': style('', ',', false, '', true),
  '#': style('#', ',', false, '', true),
  '.': style('.', '.'),
  '/': style('/', '/'),
  ';': style(';', ';', true),
  '?': style('?', '&', true, '='),
  '&': style('&', '&', true, '='),
}

/**
 * Fills a URI template in: every form of RFC 6570, levels 1 to 4.
 *
 * `expandUriTemplate('things://{id}{?page}', { id: 'a b', page: 2 })` is `things://a%20b?page=2`. Throws
 * `ERR_DEFINITION` for a malformed template.
 */
export function expandUriTemplate(template: string, values: Readonly<Record<string, TemplateValue>>): string {
  return parseUriTemplate(template)
    .map((part) => (typeof part === 'string' ? part : expandExpression(part, values)))
    .join('')
}

function expandExpression(part: TemplateExpression, values: Readonly<Record<string, TemplateValue>>): string {
  const format = styles[part.operator]
  const pieces: string[] = []
  for (const variable of part.variables) {
    const value = Object.hasOwn(values, variable.name) ? values[variable.name] : undefined
    const piece = expandVariable(variable, value, format)
    if (piece !== undefined) pieces.push(piece)
  }
  return pieces.length === 0 ? '' : format.first + pieces.join(format.separator)
}

function expandVariable(variable: TemplateVariable, value: TemplateValue, format: Style): string | undefined {
  if (value === undefined || value === null) return undefined
  if (typeof value !== 'object') {
    const text = Array.from(String(value)).slice(0, variable.prefix).join('')
    return withName(variable.name, encode(text, format), format)
  }
  const pairs = Object.entries(value).map(
    ([key, item]) => [encode(key, format), encode(item, format)] as const,
  )
  if (pairs.length === 0) return undefined
  const isList = Array.isArray(value)
  if (!variable.explode) {
    const joined = pairs.map(([key, item]) => (isList ? item : `${key},${item}`)).join(',')
    return withName(variable.name, joined, format)
  }
  return pairs
    .map(([key, item]) => {
      if (isList) return withName(variable.name, item, format)
      return format.named ? withName(key, item, format) : `${key}=${item}`
    })
    .join(format.separator)
}

function withName(name: string, text: string, format: Style): string {
  if (!format.named) return text
  return text === '' ? name + format.ifEmpty : `${name}=${text}`
}

function encode(value: Scalar, format: Style): string {
  const text = wellFormed(String(value))
  if (!format.reserved) return encodeStrictly(text)
  return text.replace(/%[\da-f]{2}|%|[^%\w\-.~:/?#[\]@!$&'()*+,;=]+/gi, (match) =>
    match.length === 3 && match.startsWith('%') ? match : encodeURIComponent(match),
  )
}

function encodeStrictly(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )
}
