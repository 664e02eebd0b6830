import type { AssertionGrants } from './assertion-grants.js'
import type { BoundKeys } from './bound-key.js'
import type { MintOptions } from './mint.js'
import { refusal, tokenType, type TokenAnswer } from './token-answer.js'
import { clientNamed, type TestClient } from './test-client.js'
import { exchangeToken, tokenExchangeGrant } from './token-exchange.js'
import type { MintedTokens } from './token-mint.js'
import type { UserGrants } from './user-grants.js'

/** One request at the token endpoint. */
export interface TokenRequest {
  readonly authorization: string | undefined
  /** Proof of the key that the token is to be bound to. */
  readonly dpop?: string | undefined
  readonly body: string
}

/** What a request can be granted from. */
interface TokenSources {
  readonly clients: readonly TestClient[]
  readonly mint: (options: MintOptions) => Promise<string>
  readonly find: MintedTokens['find']
  readonly grants: UserGrants
  readonly assertions: AssertionGrants
  readonly keys: BoundKeys
}

const lifetime = 300

const userGrantTypes = ['authorization_code', 'refresh_token']

/**
 * Answers a `client_credentials` request with Basic or POST client authentication (RFC 6749 §2.3.1, §4.4,
 * RFC 8707 §2), where the subject of the token is the client, a token exchange (RFC 8693), a request for a user,
 * or one that redeems an assertion or asks for one. The token is bound to the key of the proof a request carries (RFC 9449 §5).
 */
export async function answerTokenRequest(request: TokenRequest, sources: TokenSources): Promise<TokenAnswer> {
  if (request.dpop === undefined) return grantedToken(request, sources, {})
  const key = await sources.keys.read(request.dpop)
  if ('error' in key) return refusal(key.error)
  return grantedToken(request, sources, { cnf: key })
}

async function grantedToken(
  request: TokenRequest,
  { clients, mint, find, grants, assertions }: TokenSources,
  claims: NonNullable<MintOptions['claims']>,
): Promise<TokenAnswer> {
  const form = new URLSearchParams(request.body)
  const client = authenticatedClient(request, clients)
  const hasCredentials = request.authorization !== undefined || form.has('client_secret')
  const asserted =
    client === undefined && hasCredentials ? undefined : assertions.answer(form, client, claims)
  if (asserted !== undefined) return asserted
  if (client === undefined) return { status: 401, body: { error: 'invalid_client' } }
  const grantType = form.get('grant_type') ?? ''
  if (userGrantTypes.includes(grantType)) return grants.answer(form, client, claims)
  if (client.clientSecret === undefined) return refusal('unauthorized_client')
  if (grantType === tokenExchangeGrant) return exchangeToken(form, client.clientId, mint, find)
  if (grantType !== 'client_credentials') return refusal('unsupported_grant_type')
  const resource = form.getAll('resource')
  if (resource.length === 0 || !resource.every((value) => URL.canParse(value)))
    return refusal('invalid_target')
  const scope = form.get('scope') ?? ''
  const scopes = scope === '' ? [] : scope.split(' ')
  const token = await mint({
    resource: resource.length === 1 ? (resource[0] ?? '') : resource,
    scopes,
    subject: client.clientId,
    clientId: client.clientId,
    expiresInSeconds: lifetime,
    claims,
  })
  const answer = { access_token: token, token_type: tokenType(claims), expires_in: lifetime }
  return { status: 200, body: { ...answer, ...(scope !== '' && { scope }) } }
}

/** The client that a request shows to come from, by Basic or POST authentication; a public one by its name alone. */
export function authenticatedClient(
  request: TokenRequest,
  clients: readonly TestClient[],
): TestClient | undefined {
  const form = new URLSearchParams(request.body)
  const posted = [form.get('client_id') ?? '', form.get('client_secret') ?? undefined] as const
  const [id, secret] = basicCredentials(request.authorization) ?? posted
  const client = clientNamed(id, clients)
  return client?.clientSecret === secret ? client : undefined
}

function basicCredentials(authorization: string | undefined): [string, string] | undefined {
  const encoded = /^basic +(\S+)$/i.exec(authorization ?? '')?.[1]
  if (encoded === undefined) return undefined
  const [id = '', secret = ''] = Buffer.from(encoded, 'base64').toString('utf8').split(':', 2)
  return [formDecoded(id), formDecoded(secret)]
}

function formDecoded(value: string): string {
  return new URLSearchParams(`value=${value}`).get('value') ?? ''
}
