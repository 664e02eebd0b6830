import { clientNamed, mayRedirect, type TestClient } from './test-client.js'
import type { UserGrants } from './user-grants.js'

/** What the user of a test does on the consent page. Everything left out is said yes to, by `alice`. */
export interface ConsentAnswer {
  /** Who consents. */
  readonly subject?: string
  /** Less than was asked for. */
  readonly scopes?: readonly string[]
  /** The user refuses (`access_denied`), or the server fails. */
  readonly error?: string
  /** Names another issuer in the answer; `null` names none (RFC 9207 §2). */
  readonly iss?: string | null
}

/** Where the browser is sent, or why there is nowhere to send it to. */
export type AuthorizationAnswer =
  { readonly location: string } | { readonly status: number; readonly body: unknown }

/** Answers an authorization request at once, as if the user had signed in and consented (RFC 6749 §4.1.1, RFC 7636 §4.3). */
export function answerAuthorization(
  query: URLSearchParams,
  answer: ConsentAnswer,
  { issuer, clients, grants }: { issuer: string; clients: readonly TestClient[]; grants: UserGrants },
): AuthorizationAnswer {
  const clientId = query.get('client_id') ?? ''
  const redirectUri = query.get('redirect_uri') ?? ''
  const client = clientNamed(clientId, clients)
  if (client === undefined || !mayRedirect(client, redirectUri))
    return { status: 400, body: { error: 'invalid_request' } }
  const location = new URL(redirectUri)
  const reply = (name: 'code' | 'error', value: string) => {
    location.searchParams.set(name, value)
    location.searchParams.set('state', query.get('state') ?? '')
    if (answer.iss !== null) location.searchParams.set('iss', answer.iss ?? issuer)
    return { location: location.href }
  }
  if (answer.error !== undefined) return reply('error', answer.error)
  const resource = query.get('resource') ?? ''
  const codeChallenge = query.get('code_challenge') ?? ''
  if (query.get('response_type') !== 'code') return reply('error', 'unsupported_response_type')
  if (query.get('code_challenge_method') !== 'S256' || codeChallenge.length !== 43)
    return reply('error', 'invalid_request')
  if (!URL.canParse(resource)) return reply('error', 'invalid_target')
  const asked = query.get('scope')?.split(' ') ?? []
  const { subject = 'alice', scopes = asked } = answer
  return reply('code', grants.code({ clientId, redirectUri, codeChallenge, resource, subject, scopes }))
}
