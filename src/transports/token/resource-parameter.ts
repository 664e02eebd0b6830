import type { IssuerQuirks } from '../../oauth/registration/quirks.js'

/** The `resource` of every request about a grant: as the resource names itself, byte for byte (RFC 8707 §2). */
export function resourceParameter(
  resource: string,
  { resourceParameter = 'send' }: IssuerQuirks,
): string | undefined {
  if (resourceParameter === 'omit') return undefined
  return resourceParameter === 'send' ? resource : resourceParameter.value
}
