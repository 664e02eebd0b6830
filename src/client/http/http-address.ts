import { DefinitionError } from '../../errors.js'

type NamesIn<Path extends string> = Path extends `${string}/:${infer Rest}`
  ? Rest extends `${infer Name}/${infer More}`
    ? Name | NamesIn<`/${More}`>
    : Rest extends `${infer Name}?${string}`
      ? Name
      : Rest
  : never

/**
 * The values an endpoint wants, by name: `{ organization: string }` for
 * `'https://example.com/organizations/:organization/mcp'`.
 */
export type RouteOf<Endpoint extends string> = string extends Endpoint
  ? Readonly<Record<string, string>>
  : { readonly [Name in NamesIn<Endpoint>]: string }

/** Whether an endpoint wants values; one known only as `string` may. */
export type RouteOption<Endpoint extends string> = string extends Endpoint
  ? { readonly route?: Readonly<Record<string, string>> }
  : [NamesIn<Endpoint>] extends [never]
    ? { readonly route?: Readonly<Record<string, never>> }
    : { readonly route: RouteOf<Endpoint> }

const routeName = /(?<!^[^/?]*\/)\/:([A-Za-z_]\w*)(?=[/?]|$)/g

/**
 * Fills the values into the URL of an endpoint, each as one encoded path segment. Throws `ERR_OPTION` for a value that
 * is missing, empty, a dot segment or not asked for.
 */
export function routedEndpoint(endpoint: string, route: Readonly<Record<string, string>> = {}): string {
  const asked = new Set<string>()
  const url = endpoint.replace(routeName, (_match, name: string) => {
    asked.add(name)
    return `/${segment(name, Object.hasOwn(route, name) ? route[name] : undefined)}`
  })
  for (const name of Object.keys(route)) {
    if (!asked.has(name)) throw new DefinitionError(`\`route.${name}\` is not in the endpoint`, 'ERR_OPTION')
  }
  return url
}

function segment(name: string, value: unknown): string {
  if (typeof value !== 'string' || value === '') {
    throw new DefinitionError(`\`route.${name}\` is missing`, 'ERR_OPTION')
  }
  if (value === '.' || value === '..') {
    throw new DefinitionError(`\`route.${name}\` cannot be a dot segment`, 'ERR_OPTION')
  }
  try {
    return encodeURIComponent(value)
  } catch {
    throw new DefinitionError(`\`route.${name}\` has an unpaired surrogate`, 'ERR_OPTION')
  }
}
