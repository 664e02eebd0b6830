import { DefinitionError } from '../errors.js'

/** Copies the list of browser origins that may call. Throws `ERR_OPTION` for one that is no origin, or `null`. */
export function allowedOrigins(origins: readonly string[] = []): ReadonlySet<string> {
  for (const origin of origins) {
    if (!URL.canParse(origin) || new URL(origin).origin !== origin) {
      throw new DefinitionError(
        `origins: ${JSON.stringify(origin)} is not an origin such as https://app.example.com`,
        'ERR_OPTION',
      )
    }
  }
  return new Set(origins)
}

/** A request without `Origin` passes; one with exactly one listed origin passes; any other is refused. */
export function originAllowed(origin: string | undefined, allowed: ReadonlySet<string>): boolean {
  return origin === undefined || allowed.has(origin)
}
