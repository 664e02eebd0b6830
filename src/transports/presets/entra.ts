import type { IssuerQuirks } from '../../oauth/registration/quirks.js'

/** What is particular to the application at Microsoft Entra ID. */
export interface EntraOptions {
  /** Scopes of the application, for example `['api://notes/.default']`: Entra refuses requests without any. */
  readonly scopes: readonly string[]
  /** `omit` for applications where Entra refuses `resource` (AADSTS9010010). Default `send`. */
  readonly resourceParameter?: 'send' | 'omit'
}

/**
 * Quirks of Microsoft Entra ID v2: it supports PKCE and all grants without announcing them and wants scopes everywhere.
 * The issuer is that of one tenant; `/common` and `/organizations` have none.
 *
 * @example
 * const registration = publicClient({ issuer, clientId, quirks: entra({ scopes: ['api://notes/.default'] }) })
 */
export function entra({ scopes, resourceParameter = 'send' }: EntraOptions): IssuerQuirks {
  return {
    assumePkceS256: true,
    assumeGrantType: true,
    sendScopeOnRefresh: true,
    scopeOverride: scopes,
    resourceParameter,
  }
}
