import { maxTokenLength } from '../oauth/credentials.js'

const tokenGrammar = /^[A-Za-z0-9._~+/-]+=*$/
const encryptedJwt = /^(?:[A-Za-z0-9_-]*\.){4}[A-Za-z0-9_-]*$/

/**
 * Whether a token may be shown to an authorization server: of the grammar of RFC 6750 §2.1, at most `maxTokenLength`
 * characters, and no encrypted JWT, which is for whoever holds its key (RFC 7516 §3.1).
 */
export function isPresentable(token: string): boolean {
  return token.length <= maxTokenLength && tokenGrammar.test(token) && !encryptedJwt.test(token)
}

/** What can be seen of a token without believing any of it. */
export type TokenShape =
  | { readonly format: 'opaque' }
  /** `issuer` is whatever the claims say in `iss`; undefined, too, when they cannot be read. */
  | { readonly format: 'jwt'; readonly issuer: unknown }

const opaque: TokenShape = { format: 'opaque' }

/**
 * Tells what means to be a signed JWT from anything else: three parts of which the second states an issuer, or a header
 * that names an algorithm (RFC 7515 §7.1).
 */
export function tokenShape(token: string): TokenShape {
  const [header = '', claims, ...rest] = token.split('.', 4)
  if (claims === undefined || token.length > maxTokenLength) return opaque
  const issuer = rest.length === 1 ? statedIssuer(claims) : undefined
  const isJwt = issuer !== undefined || typeof decodedObject(header)?.['alg'] === 'string'
  return isJwt ? { format: 'jwt', issuer } : opaque
}

const issuerMember = '"iss":"'

/** The `iss` of encoded claims; where it is plain to see, without parsing them all. */
function statedIssuer(encoded: string): unknown {
  const text = Buffer.from(encoded, 'base64url').toString('latin1')
  const at = text.indexOf(issuerMember)
  const start = at + issuerMember.length
  const value = text.slice(start, text.indexOf('"', start))
  const isPlain =
    at !== -1 && text.startsWith('{') && text.lastIndexOf('{', at) === 0 && !value.includes('\\')
  return isPlain ? value : decodedObject(encoded)?.['iss']
}

function decodedObject(encoded: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(encoded, 'base64url').toString())
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined
  } catch {
    return undefined
  }
}
