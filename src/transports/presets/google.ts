import type { IssuerQuirks } from '../../oauth/registration/quirks.js'

/**
 * Quirks of Google: resources spell its issuer with a slash, and a refresh token needs parameters of its own instead of
 * `offline_access`.
 */
export function google(): IssuerQuirks {
  return {
    issuerAliases: ['https://accounts.google.com/'],
    extraAuthorizationParams: { access_type: 'offline', prompt: 'consent' },
  }
}
