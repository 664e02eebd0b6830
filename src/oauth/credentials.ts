/** The longest token a resource server looks at, in characters. */
export const maxTokenLength = 16_384

/** How a token is presented: alone, or with a proof of possession (RFC 9449 §7.1). */
export type Scheme = 'Bearer' | 'DPoP'

/** What the `Authorization` values of a request amount to. */
export type Credentials =
  | { readonly kind: 'absent' }
  | { readonly kind: 'several' }
  | { readonly kind: 'malformed'; readonly scheme: Scheme }
  | { readonly kind: 'token'; readonly scheme: Scheme; readonly token: string }

const schemeName = {
  Bearer: /^bearer(?![!#$%&'*+.^_`|~0-9a-z-])/i,
  DPoP: /^dpop(?![!#$%&'*+.^_`|~0-9a-z-])/i,
} as const satisfies Record<Scheme, RegExp>
const credentials = {
  Bearer: /^bearer +([A-Za-z0-9._~+/-]+=*)$/i,
  DPoP: /^dpop +([A-Za-z0-9._~+/-]+=*)$/i,
} as const satisfies Record<Scheme, RegExp>
const bearerOnly: readonly Scheme[] = Object.freeze(['Bearer'])
const absent: Credentials = Object.freeze({ kind: 'absent' })
const several: Credentials = Object.freeze({ kind: 'several' })
const malformed = {
  Bearer: Object.freeze({ kind: 'malformed', scheme: 'Bearer' }),
  DPoP: Object.freeze({ kind: 'malformed', scheme: 'DPoP' }),
} as const satisfies Record<Scheme, Credentials>

/**
 * Reads the token from all `Authorization` values of a request, one array entry per header line.
 *
 * `absent`: no header, or another scheme. `several`: more than one header line. `malformed`: a scheme of the
 * list with anything but one token of the grammar, or with a token longer than `maxTokenLength`. The scheme matches in
 * any letter case and is followed by one or more spaces. RFC 6750 §2.1, RFC 9449 §7.1, RFC 9110 §11.4.
 */
export function readCredentials(
  authorization: readonly string[],
  schemes: readonly Scheme[] = bearerOnly,
): Credentials {
  if (authorization.length > 1) return several
  const value = authorization[0]
  if (value === undefined) return absent
  for (const scheme of schemes) {
    if (!schemeName[scheme].test(value)) continue
    const token = credentials[scheme].exec(value)?.[1]
    if (token === undefined || token.length > maxTokenLength) return malformed[scheme]
    return { kind: 'token', scheme, token }
  }
  return absent
}

/**
 * Whether the query of a request target holds a parameter whose decoded name is `access_token`; also true when
 * the query cannot be decoded, since then nobody can tell. RFC 6750 §2.3, MCP 2026-07-28 "Access Token Usage".
 */
export function hasQueryToken(url: string): boolean {
  const start = url.indexOf('?')
  if (start === -1) return false
  const query = url.slice(start + 1)
  try {
    decodeURIComponent(query)
  } catch {
    return true
  }
  return queryToken.test(query)
}

/** Written as a pattern, since taking thousands of parameters apart costs more than any token. */
const queryToken = new RegExp(`(?:^|&)${Array.from('access_token', plainOrEncoded).join('')}(?:[=&]|$)`)

function plainOrEncoded(character: string): string {
  const digits = character.charCodeAt(0).toString(16)
  return `(?:${character}|%${digits.replace(/[a-f]/, (digit) => `[${digit}${digit.toUpperCase()}]`)})`
}
