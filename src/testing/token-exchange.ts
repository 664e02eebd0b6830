import type { MintOptions } from './mint.js'
import { refusal, type TokenAnswer } from './token-answer.js'
import type { MintedTokens } from './token-mint.js'

export const tokenExchangeGrant = 'urn:ietf:params:oauth:grant-type:token-exchange'

const accessTokenType = 'urn:ietf:params:oauth:token-type:access_token'

/**
 * Exchanges an active access token for one of another audience with the same subject (RFC 8693 §2). The new token names
 * the client that asked, in `client_id` and `act`, and outlives the old one by nothing.
 */
export async function exchangeToken(
  form: URLSearchParams,
  clientId: string,
  mint: (options: MintOptions) => Promise<string>,
  find: MintedTokens['find'],
): Promise<TokenAnswer> {
  if (form.get('subject_token_type') !== accessTokenType) return refusal('invalid_request')
  const { sub, exp } = find(form.get('subject_token') ?? '') ?? {}
  const left = typeof exp === 'number' ? exp - Math.floor(Date.now() / 1000) : 0
  if (typeof sub !== 'string' || left <= 0) return refusal('invalid_request')
  const targets = [...form.getAll('resource'), ...form.getAll('audience')]
  if (targets.length === 0) return refusal('invalid_target')
  const scope = form.get('scope')
  const token = await mint({
    resource: targets.length === 1 ? (targets[0] ?? '') : targets,
    scopes: scope === null ? [] : scope.split(' '),
    subject: sub,
    clientId,
    expiresInSeconds: left,
    claims: { act: { sub: clientId } },
  })
  const body = {
    access_token: token,
    issued_token_type: accessTokenType,
    token_type: 'Bearer',
    expires_in: left,
    ...(scope !== null && { scope }),
  }
  return { status: 200, body }
}
