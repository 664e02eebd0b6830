import { z } from 'zod'
import type { DiscoveredServer } from '../discovery/discover.js'
import { IdentityRequiredError, TokenEndpointError } from '../errors.js'
import { askTokenEndpoint, type ReadAnswer, type SendForm } from '../token/token-endpoint.js'
import type { TokenOutcome } from '../token/token-outcome.js'

const tokenTypes = 'urn:ietf:params:oauth:token-type:'

/** Kinds of tokens that are shown to an identity provider, or asked of it. */
type ExchangedKind = 'id_token' | 'saml2' | 'refresh_token' | 'id-jag'

/** What is shown for whom the exchange is. */
export interface SubjectToken {
  readonly token: string
  readonly kind: ExchangedKind
}

/** What an exchange gave. */
export interface ExchangedToken {
  readonly token: string
  /** Absent when it is what was asked for. */
  readonly scope?: readonly string[]
  /** Takes the place of the refresh token that was shown. */
  readonly refreshToken?: string
}

/** An identity provider, found and checked. */
export type IdentityProvider = Pick<DiscoveredServer, 'registration' | 'server' | 'trust'>

/** One exchange. */
interface Exchange {
  readonly provider: IdentityProvider
  readonly subject: SubjectToken
  readonly wanted: ExchangedKind
  /** For whom the token is to be; an undefined value is left out. */
  readonly target: Readonly<Record<string, string | undefined>>
  readonly signal: AbortSignal
}

/**
 * Exchanges one token for another at an identity provider, once (RFC 8693 §2). A refusal of the subject token is
 * `IdentityRequiredError`; every other one is the provider's policy and stays `TokenEndpointError`.
 */
export async function exchangeToken(
  send: SendForm,
  { provider, subject, wanted, target, signal }: Exchange,
): Promise<TokenOutcome<ExchangedToken>> {
  const { server, registration } = provider
  const parameters = {
    grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
    requested_token_type: tokenTypes + wanted,
    subject_token: subject.token,
    subject_token_type: tokenTypes + subject.kind,
    ...target,
  }
  const outcome = await askTokenEndpoint(send, { server, registration, parameters, signal }, reader(wanted))
  if (outcome.ok || !refusesIdentity(outcome.error)) return outcome
  return { ok: false, error: new IdentityRequiredError(outcome.error.message), usedUp: true }
}

/** `invalid_request` is what RFC 8693 §2.2.2 says for a bad subject token; the last is of RFC 9470 §3. */
const identityCodes = new Set(['invalid_grant', 'invalid_request', 'insufficient_user_authentication'])

function refusesIdentity(error: Error): boolean {
  return error instanceof TokenEndpointError && identityCodes.has(error.oauthCode ?? '')
}

const printable = z.string().regex(/^[\x21-\x7e]+$/)

/** `token_type` says nothing of a token that is no access token, and providers differ in it (RFC 8693 §2.2.1). */
function reader(wanted: ExchangedKind): ReadAnswer<ExchangedToken> {
  const answer = z.object({
    access_token: printable,
    issued_token_type: z.literal(tokenTypes + wanted),
    scope: z.string().nullish(),
    refresh_token: printable.or(z.literal('')).nullish(),
  })
  return (members) => {
    const { data } = answer.safeParse(members)
    return (
      data && {
        token: data.access_token,
        ...(typeof data.scope === 'string' && {
          scope: data.scope.split(' ').filter((scope) => scope !== ''),
        }),
        ...(data.refresh_token && { refreshToken: data.refresh_token }),
      }
    )
  }
}
