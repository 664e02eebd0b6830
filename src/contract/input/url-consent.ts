/** Consent of the user to open a page. */
export interface UrlConsent {
  readonly kind: 'url'
}

/** Whether the user agreed to open the page. It never says that anything was done there. */
export interface UrlAnswer {
  readonly action: 'accept' | 'decline' | 'cancel'
}

const consent: UrlConsent = Object.freeze({ kind: 'url' })

/**
 * Declares a page the user is asked to open, for what no client may see: passwords, payment, another service's consent.
 *
 * Accepting proves nothing: whether the user has finished there is known to your own records only, and whoever opens
 * the page must be shown to be the caller (MCP 2026-07-28, elicitation, "URL Mode").
 */
export function urlConsent(): UrlConsent {
  return consent
}
