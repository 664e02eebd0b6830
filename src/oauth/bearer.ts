/** The longest token a resource server looks at, in characters. */
export const maxTokenLength = 16_384

/** What the `Authorization` values of a request amount to. */
export type Credentials =
  | { readonly kind: 'absent' }
  | { readonly kind: 'several' }
  | { readonly kind: 'malformed' }
  | { readonly kind: 'bearer'; readonly token: string }

const bearerScheme = /^bearer(?![!#$%&'*+.^_`|~0-9a-z-])/i
const bearerToken = /^bearer +([A-Za-z0-9._~+/-]+=*)$/i
const absent: Credentials = Object.freeze({ kind: 'absent' })
const several: Credentials = Object.freeze({ kind: 'several' })
const malformed: Credentials = Object.freeze({ kind: 'malformed' })

/**
 * Reads the bearer token from all `Authorization` values of a request, one array entry per header line.
 *
 * `absent`: no header, or another scheme. `several`: more than one header line. `malformed`: the Bearer scheme
 * with anything but one token of the grammar, or with a token longer than `maxTokenLength`. The scheme matches in
 * any letter case and is followed by one or more spaces. RFC 6750 §2.1, RFC 9110 §11.4.
 */
export function readCredentials(authorization: readonly string[]): Credentials {
  if (authorization.length > 1) return several
  const value = authorization[0]
  if (value === undefined || !bearerScheme.test(value)) return absent
  const token = bearerToken.exec(value)?.[1]
  if (token === undefined || token.length > maxTokenLength) return malformed
  return { kind: 'bearer', token }
}

/**
 * Whether the query of a request target holds a parameter whose decoded name is `access_token`; also true when
 * the query cannot be decoded, since then nobody can tell. RFC 6750 §2.3, MCP 2026-07-28 "Access Token Usage".
 */
export function hasQueryToken(url: string): boolean {
  const start = url.indexOf('?')
  if (start === -1) return false
  try {
    const names = url
      .slice(start + 1)
      .split('&')
      .map(decodedName)
    return names.includes('access_token')
  } catch {
    return true
  }
}

function decodedName(parameter: string): string {
  const decoded = parameter.split('=').map((part) => decodeURIComponent(part.replaceAll('+', ' ')))
  return decoded[0] ?? ''
}
