import type { DefinitionError } from '../../errors.js'
import type { TemplateExpression, TemplatePart } from './syntax.js'

/**
 * A variable as it stands in the path of a URI: one `segment`, one `item` of several between commas, a `list` between
 * commas, any number of `/segments`, or `reserved` text that may hold separators.
 */
export interface Capture {
  readonly name: string
  readonly kind: 'segment' | 'item' | 'list' | 'segments' | 'reserved'
}

/** Literal text or a variable. */
export type BodyToken = string | Capture

/**
 * Lays out the parts of a template before its query as literals and variables, so that a URI has one reading.
 * Throws `ERR_DEFINITION` when two readings would be possible, or a form cannot be read back.
 */
export function layOutBody(
  parts: readonly TemplatePart[],
  refuse: (reason: string) => DefinitionError,
): BodyToken[] {
  const tokens: BodyToken[] = []
  for (const part of parts) {
    for (const token of typeof part === 'string' ? [part] : captures(part, refuse)) {
      const previous = tokens.at(-1)
      if (typeof token === 'string' && typeof previous === 'string')
        tokens[tokens.length - 1] = previous + token
      else tokens.push(token)
    }
  }
  refuseAmbiguous(tokens, refuse)
  return tokens
}

function captures(part: TemplateExpression, refuse: (reason: string) => DefinitionError): BodyToken[] {
  const { operator, variables } = part
  const last = variables.length - 1
  return variables.flatMap(({ name, explode }, index): BodyToken[] => {
    switch (operator) {
      case '':
        if (last === 0) return [{ name, kind: explode ? 'list' : 'segment' }]
        if (explode) throw refuse(`a list {${name}*} beside other variables has no clear end`)
        return index === 0 ? [{ name, kind: 'item' }] : [',', { name, kind: 'item' }]
      case '/':
        if (explode && index < last) throw refuse(`{/${name}*} must be the last variable of its expression`)
        return explode ? [{ name, kind: 'segments' }] : ['/', { name, kind: 'segment' }]
      case '.':
        if (explode) throw refuse(`{.${name}*} cannot be told from one value with dots`)
        return ['.', { name, kind: 'segment' }]
      case '+':
        if (last > 0 || explode) throw refuse(`{+…} can be read back with one plain variable only`)
        return [{ name, kind: 'reserved' }]
      case ';':
        throw refuse('{;…} cannot be read back')
      default:
        throw refuse(`{${operator}…} must stand at the end`)
    }
  })
}

/** Whether a variable may hold separators, so that it can be read only by what stands on both its sides. */
export function isWide(token: BodyToken): boolean {
  return typeof token !== 'string' && (token.kind === 'segments' || token.kind === 'reserved')
}

function refuseAmbiguous(tokens: readonly BodyToken[], refuse: (reason: string) => DefinitionError): void {
  if (tokens.filter(isWide).length > 1) throw refuse('only one variable may span several path segments')
  for (const [index, token] of tokens.entries()) {
    const next = tokens[index + 1]
    if (typeof token === 'string' || next === undefined || typeof next === 'string') continue
    const after = tokens[index + 2]
    if (isWide(token) || next.kind !== 'segments' || (typeof after === 'string' && !after.startsWith('/'))) {
      throw refuse(`nothing separates ${token.name} from ${next.name}`)
    }
  }
}
