import { randomUUID } from 'node:crypto'
import type { SignOnKind, SignOns } from './sign-on.js'
import { refusal, type TokenAnswer } from './token-answer.js'
import type { MintedTokens } from './token-mint.js'

/** How one kind of answer differs from what it should be; what is left out is as it should be. */
export interface AlteredAnswer {
  /** Answered in place of everything else, with HTTP 400. */
  readonly error?: string
  /** Never more than these. */
  readonly scopes?: readonly string[]
  /** Other claims of an ID-JAG; `undefined` leaves one out. */
  readonly claims?: Readonly<Record<string, unknown>>
  /** Other header members of an ID-JAG. */
  readonly header?: Readonly<Record<string, unknown>>
  /** Other members of the answer; `undefined` leaves one out. */
  readonly answer?: Readonly<Record<string, unknown>>
}

/** What an identity provider gives ID-JAGs from. */
export interface IdJagSources {
  readonly issuer: string
  readonly signOns: SignOns
  readonly sign: MintedTokens['sign']
  /** What a client is called at another authorization server; undefined where it has no client. */
  readonly clientAt: (audience: string, clientId: string) => string | undefined
}

const tokenTypes = 'urn:ietf:params:oauth:token-type:'
const idJagSeconds = 300

/** The kinds of exchange that are about sign-ons: all that ask for something else than an access token. */
export function isSignOnExchange(form: URLSearchParams): boolean {
  const wanted = form.get('requested_token_type')
  return wanted === `${tokenTypes}id-jag` || wanted === `${tokenTypes}refresh_token`
}

/**
 * Exchanges what a sign-on gave for an ID-JAG, or a SAML assertion for a refresh token (RFC 8693 §2,
 * draft-ietf-oauth-identity-assertion-authz-grant §4.3).
 */
export async function exchangeSignOn(
  form: URLSearchParams,
  clientId: string,
  sources: IdJagSources,
  altered: AlteredAnswer,
): Promise<TokenAnswer> {
  if (altered.error !== undefined) return refusal(altered.error)
  const kind = form.get('subject_token_type')?.slice(tokenTypes.length) as SignOnKind
  const audience = form.get('audience') ?? ''
  const wantsIdJag = form.get('requested_token_type') === `${tokenTypes}id-jag`
  const clientThere = wantsIdJag ? sources.clientAt(audience, clientId) : clientId
  if (clientThere === undefined || (wantsIdJag && audience === '')) return refusal('invalid_target')
  const shown = sources.signOns.show(form.get('subject_token') ?? '', kind, clientId)
  if (shown === undefined || (!wantsIdJag && kind !== 'saml2')) return refusal('invalid_grant')
  if (!wantsIdJag)
    return issued('refresh_token', sources.signOns.refreshToken(shown.subject, clientId), altered)
  const asked = (form.get('scope') ?? '').split(' ').filter((scope) => scope !== '')
  const scope = asked.filter((each) => altered.scopes?.includes(each) ?? true).join(' ')
  const iat = Math.floor(Date.now() / 1000)
  const claims = {
    iss: sources.issuer,
    sub: shown.subject,
    aud: audience,
    client_id: clientThere,
    jti: randomUUID(),
    iat,
    exp: iat + idJagSeconds,
    ...(form.has('resource') && { resource: form.get('resource') }),
    ...(scope !== '' && { scope }),
    ...altered.claims,
  }
  const idJag = await sources.sign(JSON.stringify(claims), { typ: 'oauth-id-jag+jwt', ...altered.header })
  return issued('id-jag', idJag, {
    answer: {
      expires_in: idJagSeconds,
      scope,
      ...(shown.replacement !== undefined && { refresh_token: shown.replacement }),
      ...altered.answer,
    },
  })
}

function issued(kind: string, token: string, { answer }: AlteredAnswer): TokenAnswer {
  const body = { access_token: token, issued_token_type: tokenTypes + kind, token_type: 'N_A', ...answer }
  return { status: 200, body }
}
