import { createHash, randomBytes } from 'node:crypto'
import type { MintOptions } from './mint.js'
import type { TestClient } from './test-client.js'
import { refusal, tokenType, type TokenAnswer } from './token-answer.js'

/** What a user consented to, until the client comes with the code. */
interface Consented {
  readonly clientId: string
  readonly redirectUri: string
  readonly codeChallenge: string
  readonly resource: string
  readonly subject: string
  readonly scopes: readonly string[]
}

/** How refresh tokens behave: new with each use, and all of a grant void when an old one comes again; the same always; none. */
export type RefreshTokens = 'rotating' | 'fixed' | 'none'

/** The grants of users: codes that are used once, and refresh tokens. */
export interface UserGrants {
  /** Keeps what a user consented to, and gives the code for it. */
  code(consented: Consented): string
  /** Answers a request with `authorization_code` or `refresh_token` (RFC 6749 §4.1.3, §6; RFC 7636 §4.6; RFC 8707 §2.2). */
  answer(form: URLSearchParams, client: TestClient, binding?: MintOptions['claims']): Promise<TokenAnswer>
  /** Makes a refresh token, and every other of its grant, void. */
  revoke(token: string): void
}

interface Family {
  readonly consented: Consented
  /** Access tokens that end with the grant. */
  readonly tokens: string[]
  current: string | undefined
}

interface GrantRules {
  readonly mint: (options: MintOptions) => Promise<string>
  readonly revoke: (token: string) => void
  readonly refreshTokens: RefreshTokens
  readonly accessTokenSeconds: number
}

/** Makes an empty memory of grants. */
export function userGrants(rules: GrantRules): UserGrants {
  const codes = new Map<string, Family & { isUsed: boolean }>()
  const families = new Map<string, Family>()

  function end(family: Family): void {
    family.current = undefined
    for (const token of family.tokens) rules.revoke(token)
  }

  function redeem(form: URLSearchParams, client: TestClient): Family | undefined {
    const family = codes.get(form.get('code') ?? '')
    if (family === undefined) return undefined
    const isFirst = !family.isUsed
    if (!isFirst) end(family)
    family.isUsed = true
    return isFirst && proves(form, client, family.consented) ? family : undefined
  }

  function refresh(form: URLSearchParams, client: TestClient): Family | undefined {
    const token = form.get('refresh_token') ?? ''
    const family = families.get(token)
    if (family?.consented.clientId !== client.clientId) return undefined
    if (family.current === token) return family
    end(family)
    return undefined
  }

  return {
    code(consented) {
      const code = secret('code')
      codes.set(code, { consented, tokens: [], current: undefined, isUsed: false })
      return code
    },
    async answer(form, client, claims) {
      const isRefresh = form.get('grant_type') === 'refresh_token'
      const family = isRefresh ? refresh(form, client) : redeem(form, client)
      if (family === undefined) return refusal('invalid_grant')
      const { resource, scopes } = family.consented
      if ((form.get('resource') ?? resource) !== resource) return refusal('invalid_target')
      const wanted = form.get('scope')?.split(' ') ?? scopes
      if (!wanted.every((scope) => scopes.includes(scope))) return refusal('invalid_scope')
      const answer = await issue(family, wanted, rules, claims)
      if (family.current !== undefined) families.set(family.current, family)
      return answer
    },
    revoke(token) {
      const family = families.get(token)
      if (family !== undefined) end(family)
    },
  }
}

function proves(form: URLSearchParams, client: TestClient, consented: Consented): boolean {
  const verifier = form.get('code_verifier') ?? ''
  const challenge = createHash('sha256').update(verifier).digest('base64url')
  return (
    consented.clientId === client.clientId &&
    consented.redirectUri === form.get('redirect_uri') &&
    consented.codeChallenge === challenge
  )
}

async function issue(
  family: Family,
  scopes: readonly string[],
  { mint, refreshTokens, accessTokenSeconds }: GrantRules,
  claims: MintOptions['claims'] = {},
): Promise<TokenAnswer> {
  const { resource, subject, clientId } = family.consented
  const token = await mint({
    resource,
    subject,
    clientId,
    scopes,
    expiresInSeconds: accessTokenSeconds,
    claims,
  })
  family.tokens.push(token)
  const isNew = refreshTokens === 'rotating' || (refreshTokens === 'fixed' && family.current === undefined)
  if (isNew) family.current = secret('refresh')
  const body = {
    access_token: token,
    token_type: tokenType(claims),
    expires_in: accessTokenSeconds,
    scope: scopes.join(' '),
    ...(family.current !== undefined && { refresh_token: family.current }),
  }
  return { status: 200, body }
}

function secret(kind: string): string {
  return `${kind}-${randomBytes(24).toString('base64url')}`
}
