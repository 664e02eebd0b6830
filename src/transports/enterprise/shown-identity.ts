import { createHash } from 'node:crypto'
import { decodeJwt } from 'jose'
import type { CredentialRecord } from '../../store/authorization-store.js'
import { IdentityRequiredError } from '../errors.js'
import type { SendForm } from '../token/token-endpoint.js'
import type { TokenOutcome } from '../token/token-outcome.js'
import { given, type EnterpriseIdentity } from './enterprise-identity.js'
import { loadIdentity, saveIdentity, type KeptIdentity } from './identity-record.js'
import {
  exchangeToken,
  type ExchangedToken,
  type IdentityProvider,
  type SubjectToken,
} from './token-exchange.js'

/** An identity that is ready to be shown to its provider, once. */
export interface ShownIdentity {
  /**
   * Runs an exchange with it. What the exchange uses up is saved as used before anything is sent, and given back only when it
   * certainly was not used.
   */
  show(exchange: (subject: SubjectToken) => Promise<Exchanged>, signal: AbortSignal): Promise<Exchanged>
}

type Exchanged = TokenOutcome<ExchangedToken>

/** Whose identity it is, where it is kept and where it is shown. */
interface IdentityContext {
  readonly identity: EnterpriseIdentity
  /** The record of the identity, under its lock. */
  readonly own: CredentialRecord
  readonly provider: IdentityProvider
  readonly send: SendForm
}

/**
 * Takes what is kept of an identity, or asks the host. Rejects with `IdentityRequiredError` when the host has nothing or only what
 * was used already, and with `StoreError`; nothing is sent.
 */
export async function prepareIdentity(context: IdentityContext, signal: AbortSignal): Promise<ShownIdentity> {
  const { identity, own } = context
  const kept = await loadIdentity(own, identity)
  if (identity.kind === 'id_token') return showing(context, kept, await idTokenOf(identity, signal))
  if (kept?.refreshToken !== undefined) return keeping(context, kept, kept.refreshToken)
  const credential = await given(identity, signal)
  const used = createHash('sha256').update(credential).digest('base64url')
  if (used === kept?.used)
    throw new IdentityRequiredError('What the host has of the sign-on was used already')
  return identity.kind === 'saml2'
    ? trading(context, { used }, credential)
    : keeping(context, { used }, credential)
}

/** The provider judges the token; only a mix-up of users at the host is found here. An encrypted one cannot be read. */
async function idTokenOf(identity: EnterpriseIdentity, signal: AbortSignal): Promise<string> {
  const token = await given(identity, signal)
  if ((subjectIn(token) ?? identity.subject) === identity.subject) return token
  throw new IdentityRequiredError('The ID token is that of another user')
}

function subjectIn(token: string): string | undefined {
  try {
    return decodeJwt(token).sub
  } catch {
    return undefined
  }
}

/** An ID token is shown as often as it serves. */
function showing(
  { identity, own }: IdentityContext,
  kept: KeptIdentity | undefined,
  token: string,
): ShownIdentity {
  return {
    async show(exchange) {
      if (kept === undefined) await saveIdentity(own, identity, {})
      return exchange({ token, kind: 'id_token' })
    },
  }
}

/** A refresh token may be replaced by each use, so it is out of the record until an answer is there. */
function keeping({ identity, own }: IdentityContext, { used }: KeptIdentity, token: string): ShownIdentity {
  const save = (refreshToken?: string) =>
    saveIdentity(own, identity, {
      ...(used !== undefined && { used }),
      ...(refreshToken !== undefined && { refreshToken }),
    })
  return {
    async show(exchange) {
      await save()
      const outcome = await exchange({ token, kind: 'refresh_token' })
      if (outcome.ok) await save(outcome.token.refreshToken ?? token)
      else if (!outcome.usedUp) await save(token)
      return outcome
    },
  }
}

/** An assertion is traded for a refresh token first. */
function trading(context: IdentityContext, kept: KeptIdentity, assertion: string): ShownIdentity {
  const { identity, own, provider, send } = context
  return {
    async show(exchange, signal) {
      await saveIdentity(own, identity, kept)
      const subject: SubjectToken = { token: assertion, kind: 'saml2' }
      const target = { scope: 'openid offline_access' }
      const traded = await exchangeToken(send, { provider, subject, wanted: 'refresh_token', target, signal })
      if (traded.ok) return keeping(context, kept, traded.token.token).show(exchange, signal)
      if (!traded.usedUp) await saveIdentity(own, identity, {})
      return traded
    },
  }
}
