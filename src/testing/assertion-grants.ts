import type { JWTPayload } from 'jose'
import { exchangeSignOn, isSignOnExchange, type AlteredAnswer } from './id-jag.js'
import type { MintOptions } from './mint.js'
import { redeemedAssertion } from './redeemed-assertion.js'
import { signOns, type SignOn } from './sign-on.js'
import type { TestClient } from './test-client.js'
import { refusal, tokenType, type TokenAnswer } from './token-answer.js'
import { tokenExchangeGrant } from './token-exchange.js'
import type { MintedTokens } from './token-mint.js'
import type { RefreshTokens } from './user-grants.js'

/** Whose assertions a test authorization server redeems, and for which clients it gives ID-JAGs. */
export interface AssertionRules {
  /** Issuers whose ID-JAGs are redeemed; keys are read from their metadata. Default none. */
  readonly identityProviders?: readonly string[]
  /** Issuers whose JWTs are the grant of a workload, which needs no client of its own. Default none. */
  readonly workloadIssuers?: readonly string[]
  /** The resources of this server. Default any that is named. */
  readonly resources?: readonly string[]
  /** Whether an ID-JAG must name its resource, or the request alone may. Default `required`. */
  readonly idJagResource?: 'required' | 'optional'
  /** What a client of this identity provider is called at another server; undefined where it has none. Default the same. */
  readonly clientAt?: (audience: string, clientId: string) => string | undefined
}

/** Which answers are altered: of exchanges of sign-ons, or of redemptions of assertions. */
export type AlterableAnswer = 'sign-on-exchange' | 'redemption'

/** The grants that are about assertions. */
export interface AssertionGrants {
  readonly grantTypes: readonly string[]
  /** Undefined when the request is about another grant. */
  answer(
    form: URLSearchParams,
    client: TestClient | undefined,
    binding: NonNullable<MintOptions['claims']>,
  ): Promise<TokenAnswer> | undefined
  signOn(signOn: SignOn): Promise<string>
  alter(which: AlterableAnswer, altered: AlteredAnswer): () => void
}

interface GrantSources {
  readonly issuer: string
  readonly sign: MintedTokens['sign']
  readonly mint: (options: MintOptions) => Promise<string>
  readonly rules: AssertionRules
  readonly refreshTokens: RefreshTokens
  readonly accessTokenSeconds: number
}

const jwtBearerGrant = 'urn:ietf:params:oauth:grant-type:jwt-bearer'

/** Makes the grants of one server. */
export function assertionGrants(sources: GrantSources): AssertionGrants {
  const { issuer, sign, rules, refreshTokens } = sources
  const { identityProviders = [], workloadIssuers = [] } = rules
  const given = signOns(issuer, sign, refreshTokens)
  const seen = new Map<string, number>()
  const alterations = new Map<AlterableAnswer, AlteredAnswer>()
  const isRedeemed = identityProviders.length + workloadIssuers.length > 0
  return {
    grantTypes: isRedeemed ? [jwtBearerGrant] : [],
    answer(form, client, binding) {
      const grant = form.get('grant_type')
      if (grant === jwtBearerGrant)
        return redeem(form, client, { ...sources, binding }, seen, alterations.get('redemption') ?? {})
      if (grant !== tokenExchangeGrant || !isSignOnExchange(form)) return undefined
      if (client?.clientSecret === undefined) return Promise.resolve(refusal('unauthorized_client'))
      const clientAt = rules.clientAt ?? sameClient
      const idJags = { issuer, signOns: given, sign, clientAt }
      return exchangeSignOn(form, client.clientId, idJags, alterations.get('sign-on-exchange') ?? {})
    },
    signOn: (signOn) => given.give(signOn),
    alter(which, altered) {
      alterations.set(which, altered)
      return () => {
        if (alterations.get(which) === altered) alterations.delete(which)
      }
    },
  }
}

function sameClient(_audience: string, clientId: string): string {
  return clientId
}

async function redeem(
  form: URLSearchParams,
  client: TestClient | undefined,
  sources: GrantSources & { readonly binding: NonNullable<MintOptions['claims']> },
  seen: Map<string, number>,
  altered: AlteredAnswer,
): Promise<TokenAnswer> {
  const { issuer: audience, rules, mint, accessTokenSeconds, binding } = sources
  if (altered.error !== undefined) return refusal(altered.error)
  const { identityProviders = [], workloadIssuers = [] } = rules
  const isWorkload = client?.clientSecret === undefined
  const trust = isWorkload
    ? { audience, issuers: workloadIssuers, typ: undefined }
    : { audience, issuers: identityProviders, typ: 'oauth-id-jag+jwt' }
  const claims = await redeemedAssertion(form.get('assertion') ?? '', trust, seen)
  if (claims === undefined) return refusal('invalid_grant')
  if (!isWorkload && claims['client_id'] !== client.clientId) return refusal('invalid_grant')
  const resource = resourceOf(claims, form, rules, isWorkload)
  if (resource === undefined) return refusal(isWorkload ? 'invalid_target' : 'invalid_grant')
  const scopes = grantedScopes(form, isWorkload ? undefined : claims, altered)
  const token = await mint({
    resource,
    scopes,
    subject: claims.sub ?? '',
    clientId: client?.clientId ?? claims.sub ?? '',
    expiresInSeconds: accessTokenSeconds,
    claims: binding,
  })
  const answer = {
    access_token: token,
    token_type: tokenType(binding),
    expires_in: accessTokenSeconds,
    scope: scopes.join(' '),
  }
  return { status: 200, body: { ...answer, ...altered.answer } }
}

/** What the assertion and the request name must be the same, and known. */
function resourceOf(
  claims: JWTPayload,
  form: URLSearchParams,
  { resources, idJagResource = 'required' }: AssertionRules,
  isWorkload: boolean,
): string | undefined {
  const asked = form.get('resource') ?? undefined
  const claimed = claims['resource']
  if (!isWorkload && idJagResource === 'required' && claimed === undefined) return undefined
  const resource = claimed ?? asked
  if (typeof resource !== 'string' || (asked !== undefined && asked !== resource)) return undefined
  return resources?.includes(resource) === false ? undefined : resource
}

/** What was asked for, within what the assertion claims. */
function grantedScopes(
  form: URLSearchParams,
  claims: JWTPayload | undefined,
  { scopes: most }: AlteredAnswer,
): readonly string[] {
  const listed = (text: unknown) =>
    typeof text === 'string' ? text.split(' ').filter((each) => each !== '') : []
  const claimed = claims && listed(claims['scope'])
  const asked = form.has('scope') ? listed(form.get('scope')) : (claimed ?? [])
  return asked.filter((each) => (claimed?.includes(each) ?? true) && (most?.includes(each) ?? true))
}
