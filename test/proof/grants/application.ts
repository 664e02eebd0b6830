import assert from 'node:assert/strict'
import { createClient, httpCaller } from 'castellan/client'
import type { AuthorizationStore } from 'castellan/store'
import { authorizationCodeTransport, publicClient, type WebConsent } from 'castellan/transports'
import { grantKey, type GrantBinding } from '../../../src/transports/grant/grant-binding.js'
import { readGrant, writeGrant, type GrantRecord } from '../../../src/transports/grant/grant-record.js'
import { whoami } from '../../fastify/guarded.js'

export const user = 'alice'
export const redirectUri = 'https://app.example.com/oauth/callback'
export const webClient = { clientId: 'web', redirectUris: [redirectUri] }

/** The protected server an application calls, and who issues its tokens. */
export interface Place {
  readonly endpoint: string
  readonly issuer: string
}

/** One instance of the application. */
export function application(
  { endpoint, issuer }: Place,
  store: (userId: string) => AuthorizationStore,
): WebConsent {
  return authorizationCodeTransport.forWeb({
    endpoint,
    registration: publicClient({ issuer, clientId: webClient.clientId, allowLoopbackHttp: true }),
    redirectUri,
    store,
    allowLoopbackHttp: true,
  })
}

/** What a call came to: `done`, or the code of the error; with the place a user would be sent to. */
export interface Outcome {
  readonly result: string
  readonly url?: string
}

export async function call(consent: WebConsent): Promise<Outcome> {
  const clientInfo = { name: 'proof', version: '1.0.0' }
  const client = createClient(httpCaller({ clientInfo, transport: consent.transport(user) }))
  try {
    await client.call(whoami.definition, {})
    return { result: 'done' }
  } catch (error) {
    const { code, url } = error as { readonly code?: string; readonly url?: string }
    return { result: code ?? String(error), ...(url !== undefined && { url }) }
  }
}

/** Reads the record of the grant, as it is stored. */
export function storedGrant(store: AuthorizationStore, place: Place): Promise<GrantRecord | undefined> {
  const binding = bindingAt(place)
  const key = grantKey(binding)
  return store.withCredentials([key], async (records) => {
    const bytes = await records.get(key)!.load()
    return bytes && readGrant(bytes, binding)
  })
}

/** Lets the access token that is stored be at its end; the refresh token is good. */
export function age(store: AuthorizationStore, place: Place): Promise<void> {
  const binding = bindingAt(place)
  const key = grantKey(binding)
  return store.withCredentials([key], async (records) => {
    const record = records.get(key)!
    const grant = readGrant((await record.load())!, binding)
    assert.equal(grant.state?.type, 'ready')
    const obtainedAt = Date.now() - 600_000
    await record.save(
      writeGrant({ ...grant, state: { ...grant.state, obtainedAt, expiresAt: obtainedAt + 1000 } }),
    )
  })
}

function bindingAt({ endpoint, issuer }: Place): GrantBinding {
  const { clientId } = webClient
  return { kind: 'authorization_code', issuer, clientId, method: 'none', identity: [user], endpoint }
}
