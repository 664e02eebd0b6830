import { DefinitionError, ToolError } from '../../errors.js'

/** The URL of a route whose parameters are whole segments, such as `/invoices/:id/lines/:line`. */
export interface RoutePath {
  readonly names: readonly string[]
  /** The path for these values, encoded. Throws `ToolError` for a value that cannot stand in a path. */
  readonly write: (value: (name: string) => unknown) => string
}

const parameter = /^:(\w+)$/

/** Reads the URL of a route. Throws `ERR_DEFINITION` for wildcards, patterns, optional and partial parameters. */
export function routePath(where: string, url: string): RoutePath {
  const segments = url.split('/').map((segment) => {
    const name = parameter.exec(segment)?.[1]
    if (name === undefined && /[*:()]/.test(segment)) {
      throw new DefinitionError(
        `${where}: a route with a wildcard, a pattern or a partial parameter cannot be a tool`,
      )
    }
    return name === undefined ? { text: encodeURI(segment).replace(/[?#]/g, encodeURIComponent) } : { name }
  })
  return {
    names: segments.flatMap(({ name }) => name ?? []),
    write: (value) =>
      segments.map(({ name, text }) => (name === undefined ? text : segment(name, value(name)))).join('/'),
  }
}

function segment(name: string, value: unknown): string {
  if (!['string', 'number', 'boolean'].includes(typeof value)) {
    throw new ToolError(`Invalid arguments: ${name}: must be text, a number, true or false`)
  }
  const text = String(value)
  if (['', '.', '..'].includes(text)) {
    throw new ToolError(`Invalid arguments: ${name}: must not be empty, "." or ".."`)
  }
  return encoded(name, text)
}

/** Percent-encodes a value. Throws `ToolError` for half a character, which cannot be. */
export function encoded(name: string, text: string): string {
  try {
    return encodeURIComponent(text)
  } catch {
    throw new ToolError(`Invalid arguments: ${name}: is not well-formed Unicode`)
  }
}
