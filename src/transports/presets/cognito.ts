import type { IssuerQuirks } from '../../oauth/registration/quirks.js'

/** Quirks of Amazon Cognito: it supports PKCE without announcing it. */
export function cognito(): IssuerQuirks {
  return { assumePkceS256: true }
}
