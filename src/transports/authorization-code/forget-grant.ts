import type { Registration } from '../../oauth/registration/registration.js'
import type { AuthorizationStore } from '../../store/authorization-store.js'
import { StoreError } from '../../store/store-error.js'
import { discoverIssuer } from '../discovery/discover.js'
import { AuthorizationUnavailableError } from '../errors.js'
import { fromHost } from '../from-host.js'
import { grantKey, type GrantBinding } from '../grant/grant-binding.js'
import { usableGrant, type ReadyGrant } from '../grant/grant-record.js'
import { holdGrant } from '../grant/held-grant.js'
import { consentBinding, type ConsentContext } from './consent-context.js'
import { configuredUrls, findServer } from './find-server.js'

/**
 * Deletes the grant of a user, and any consent that is open, so that a late answer brings nothing back. Then the authorization
 * server is told, as far as it can be reached (RFC 7009). Rejects when the grant may still be there.
 */
export async function forgetGrant(context: ConsentContext, signal: AbortSignal): Promise<void> {
  for (const registration of await registrationsOf(context, signal)) {
    for (const binding of bindings(registration, context)) {
      const grant = await taken(context.store, binding, signal)
      // Signing out has happened; what the authorization server makes of it changes nothing here.
      if (grant !== undefined) await revoke(context, registration, grant, signal).catch(() => undefined)
    }
  }
}

/** Deletes a record, and gives the grant in it where it can be read: what is spoiled goes as well. */
async function taken(
  store: AuthorizationStore,
  binding: GrantBinding,
  signal: AbortSignal,
): Promise<ReadyGrant | undefined> {
  try {
    return await holdGrant(store, binding, { signal }, async (held) => {
      if (held.record === undefined) return undefined
      await held.remove()
      return usableGrant(held.record)
    })
  } catch (error) {
    if (!(error instanceof StoreError && error.code === 'ERR_STORE_CORRUPT')) throw error
    const key = grantKey(binding)
    await store.withCredentials([key], async (records) => records.get(key)?.remove(), { signal })
    return undefined
  }
}

/** Of the time with `dpop`, and of that without, whichever it is now. */
function bindings(registration: Registration, context: ConsentContext): readonly GrantBinding[] {
  const binding = consentBinding(registration, context)
  const { dpop, ...bearer } = binding
  return dpop === undefined ? [binding, { ...binding, dpop: true }] : [binding, bearer]
}

/** Who could have a grant: where the host decides by issuer, the client of the issuer that the resource names now. */
async function registrationsOf(
  context: ConsentContext,
  signal: AbortSignal,
): Promise<readonly Registration[]> {
  const { registration } = context
  if (typeof registration !== 'function') return [registration].flat()
  const found = await findServer(context, undefined, signal)
  if (found !== 'open') return [found.registration]
  if (context.open.isOpen()) return []
  throw new AuthorizationUnavailableError('The resource does not say now whose grant it takes')
}

async function revoke(
  context: ConsentContext,
  registration: Registration,
  { refreshToken, accessToken }: ReadyGrant,
  signal: AbortSignal,
): Promise<void> {
  const { http, cache } = context
  const configured = configuredUrls(context, registration.issuer)
  const question = { needs: 'authorization_code', http, cache, signal } as const
  const { server, trust } = await discoverIssuer(registration, question, configured)
  const url = server.revocation_endpoint
  if (url === undefined) return
  const tokens = { refresh_token: refreshToken, access_token: accessToken }
  for (const [hint, token] of Object.entries(tokens)) {
    if (token === undefined) continue
    const form = new URLSearchParams({ token, token_type_hint: hint })
    const headers = new Headers({ accept: 'application/json' })
    const client = { client_id: registration.clientId }
    await fromHost(() => registration.authenticate(server, client, form, headers), signal)
    await http.send({ url, form, headers: Object.fromEntries(headers), signal }, trust)
  }
}
