import { DefinitionError } from '../../errors.js'

/** One variable in an expression of a URI template. */
export interface TemplateVariable {
  readonly name: string
  readonly explode: boolean
  readonly prefix?: number
}

/** An expression `{?page,limit}` of a URI template. */
export interface TemplateExpression {
  readonly operator: '' | '+' | '#' | '.' | '/' | ';' | '?' | '&'
  readonly variables: readonly TemplateVariable[]
}

/** Literal text, already percent-encoded where a URI needs it, or an expression. */
export type TemplatePart = string | TemplateExpression

const expression = /^([+#./;?&]?)(.*)$/s
const variable = /^((?:\w|%[\da-f]{2})(?:\.?(?:\w|%[\da-f]{2}))*)(?:(\*)|:([1-9]\d{0,3}))?$/i
const malformedLiteral = /%(?![\da-f]{2})|[{}\u0000-\u0020\u007f"'<>\\^`|]/i

/**
 * Takes a URI template apart. Throws `ERR_DEFINITION` for one that is not written as RFC 6570,
 * section 2 wants it.
 */
export function parseUriTemplate(template: string): readonly TemplatePart[] {
  const parts: TemplatePart[] = []
  let position = 0
  while (position < template.length) {
    const open = template.indexOf('{', position)
    const literal = template.slice(position, open === -1 ? template.length : open)
    if (malformedLiteral.test(literal)) {
      throw new DefinitionError(`URI template ${template}: "${literal}" is not text a URI can hold`)
    }
    if (literal !== '') parts.push(encodeLiteral(literal))
    if (open === -1) break
    const close = template.indexOf('}', open)
    if (close === -1) throw new DefinitionError(`URI template ${template}: a "{" has no "}"`)
    parts.push(parseExpression(template.slice(open + 1, close), template))
    position = close + 1
  }
  return parts
}

function parseExpression(source: string, template: string): TemplateExpression {
  const [, operator = '', list = ''] = expression.exec(source) ?? []
  const variables = list.split(',').map((item) => {
    const match = variable.exec(item)
    if (match === null)
      throw new DefinitionError(`URI template ${template}: {${source}} is not an expression of RFC 6570`)
    const [, name = '', explode, prefix] = match
    return { name, explode: explode !== undefined, ...(prefix !== undefined && { prefix: Number(prefix) }) }
  })
  return { operator: operator as TemplateExpression['operator'], variables }
}

function encodeLiteral(text: string): string {
  return text.replace(/[^\u0000-\u007f]+/g, (characters) => encodeURIComponent(wellFormed(characters)))
}

/** The text with unpaired surrogates, which no URI can hold, replaced by U+FFFD. */
export function wellFormed(text: string): string {
  return text.replace(/\p{Surrogate}/gu, '\ufffd')
}
