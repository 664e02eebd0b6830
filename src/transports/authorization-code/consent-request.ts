import type { GrantBinding } from '../grant/grant-binding.js'
import type { OpenConsent } from '../grant/grant-record.js'

/** A consent that waits for the user. */
export interface ConsentRequest {
  /** Where to send the user. It belongs to one user: neither log nor share it. */
  readonly url: string
  /** The authorization server that will ask. */
  readonly issuer: string
  /** What it will be asked for; none named when empty. */
  readonly scopes: readonly string[]
  /** Milliseconds since 1970. */
  readonly expiresAt: number
}

/** Puts a request together; its URL is shown by neither `inspect` nor JSON. */
export function consentRequest(
  { url, scopes, expiresAt }: OpenConsent,
  { issuer }: GrantBinding,
): ConsentRequest {
  const request = { issuer, scopes, expiresAt }
  return Object.freeze(Object.defineProperty(request, 'url', { get: () => url })) as typeof request & {
    readonly url: string
  }
}
