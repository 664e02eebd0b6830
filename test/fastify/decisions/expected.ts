import type { Form, Said } from './requests.js'

/** What a guard takes, in the words of its options. */
export interface Taking {
  readonly verifier: 'jwt' | 'introspection' | 'anyOf'
  readonly possession: 'none' | 'dpop' | 'dpop only'
}

/** What is true of the credentials of a request. */
export interface Facts {
  readonly query?: 'token' | 'undecodable'
  /** Header lines. Default 1. */
  readonly lines?: 0 | 2
  /** Default `Bearer`. */
  readonly scheme?: 'Bearer' | 'DPoP' | 'other'
  readonly grammar?: 'broken'
  /** Default `good`. */
  readonly token?: 'good' | 'bad'
  readonly isOpaque?: boolean
  readonly isBound?: boolean
  /** `foreign` is right in itself, of another key. Default none. */
  readonly proof?: 'right' | 'wrong' | 'foreign'
  readonly lacksScopes?: boolean
  /** Nobody can tell now whether the token is good. */
  readonly isOutage?: boolean
}

const metadata = 'resource_metadata="https://api.example.com/.well-known/oauth-protected-resource/mcp"'
const algorithms = 'algs="ES256 ES384 EdDSA PS256 RS256"'
type Scheme = 'Bearer' | 'DPoP'

function challenge(scheme: Scheme, error: string | undefined, scope: string | undefined): string {
  const parameters = [
    ...(scheme === 'DPoP' ? [algorithms] : []),
    metadata,
    ...(error === undefined ? [] : [`error="${error}"`]),
    ...(scope === undefined ? [] : [`scope="${scope}"`]),
  ]
  return `${scheme} ${parameters.join(', ')}`
}

const schemes: Record<Taking['possession'], readonly Scheme[]> = {
  none: ['Bearer'],
  dpop: ['Bearer', 'DPoP'],
  'dpop only': ['DPoP'],
}

const closed = (status: number, headers: Readonly<Record<string, string>> = {}): Said => ({
  status,
  body: '',
  headers: { 'cache-control': 'no-store', ...headers },
})

/** What every scheme that is taken is asked for. */
function asked(status: number, taken: readonly Scheme[], error?: string, scope?: string): Said {
  return closed(status, { 'www-authenticate': taken.map((one) => challenge(one, error, scope)).join(', ') })
}

/** The error goes to the scheme that was used; the other one is only offered to who could have used it. */
function refused(taken: readonly Scheme[], used: Scheme, error: string): Said {
  if (used === 'DPoP') return asked(401, ['DPoP'], error, 'mcp')
  const told = taken.map((one) => challenge(one, one === used ? error : undefined, 'mcp'))
  return closed(401, { 'www-authenticate': told.join(', ') })
}

/** The decision table, rows A10 to A20 from top to bottom. The first that applies is the answer. */
export function expected(taking: Taking, form: Form, facts: Facts): Said {
  if (form.place === 'protect') return decided(taking, form, facts)
  if (form.from === 'foreign')
    return { status: 403, body: 'Forbidden', headers: { 'content-type': 'text/plain' } }
  if (form.name === 'a preflight') return withBrowsers(form, preflight)
  if (form.method === 'OPTIONS') return form.allowed
  return withBrowsers(form, form.method === 'POST' ? decided(taking, form, facts) : form.allowed)
}

function decided({ verifier, possession }: Taking, form: Form, facts: Facts): Said {
  const taken = schemes[possession]
  const { lines = 1, scheme = 'Bearer', token = 'good' } = facts
  if (facts.query !== undefined || lines === 2) return asked(400, taken, 'invalid_request')
  if (lines === 0 || scheme === 'other' || !taken.includes(scheme)) return asked(401, taken, undefined, 'mcp')
  if (facts.grammar === 'broken') return refused(taken, scheme, 'invalid_token')
  if (facts.isOpaque === true && verifier === 'jwt') return refused(taken, scheme, 'invalid_token')
  if (facts.isOutage === true) return closed(503, { 'retry-after': 'seconds' })
  if (token === 'bad') return refused(taken, scheme, 'invalid_token')
  const isProven =
    facts.isBound === true ? scheme === 'DPoP' && facts.proof !== 'foreign' : scheme === 'Bearer'
  if (!isProven) return refused(taken, scheme, 'invalid_token')
  if (facts.isBound === true && facts.proof !== 'right') return refused(taken, scheme, 'invalid_dpop_proof')
  if (form.wrong !== undefined) return form.wrong
  if (facts.lacksScopes === true && form.unscoped !== true)
    return asked(403, taken, 'insufficient_scope', 'mcp')
  return form.allowed
}

const exposed = { 'access-control-expose-headers': 'WWW-Authenticate, DPoP-Nonce, Retry-After' }
const preflight: Said = {
  status: 204,
  body: '',
  headers: {
    'access-control-allow-methods': 'POST',
    'access-control-allow-headers':
      'Authorization, Content-Type, Accept, MCP-Protocol-Version, Mcp-Method, Mcp-Name, Mcp-Session-Id, Last-Event-ID, DPoP',
    'access-control-max-age': '600',
  },
}

/** A105 A106: whatever the answer is, a page of a listed origin may read it and its challenge. */
function withBrowsers({ from }: Form, { headers, ...said }: Said): Said {
  const allowed = from === 'listed' ? { 'access-control-allow-origin': 'https://app.example.com' } : {}
  return { ...said, headers: { ...headers, ...exposed, ...allowed, vary: 'Origin' } }
}
