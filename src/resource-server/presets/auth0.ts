import type { Preset } from './preset.js'

/**
 * Auth0, both token dialects: `issuer` ends with a slash, `https://<tenant>.auth0.com/`. Name the resource as the
 * identifier of the API, or its identifier in `audiences`; without one, clients get opaque or encrypted tokens, which
 * are refused. Permissions of a user grant scopes. An API set to the RFC 9068 profile needs no preset, only
 * `scopeClaims: ['scope', 'permissions']`. Shape from documentation only.
 */
export function auth0({
  issuer,
  audiences = [],
}: {
  readonly issuer: string
  readonly audiences?: readonly string[]
}): Preset {
  return {
    issuer,
    profile: 'relaxed',
    allowedTyp: ['JWT', 'at+jwt'],
    acceptedAudiences: audiences,
    clientIdClaims: ['client_id', 'azp'],
    scopeClaims: ['scope', 'permissions'],
  }
}
