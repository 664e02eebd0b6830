import type { Preset } from './preset.js'

/**
 * Keycloak, one realm: `issuer` is `https://<host>/realms/<realm>`. The realm needs an audience mapper that adds the
 * resource, or one of `audiences`, to `aud`; without one, tokens are refused. ID, refresh and logout tokens say so in
 * their claim `typ` and are refused; older releases put `nonce` into access tokens, which are then taken for ID tokens.
 * Shape from documentation only.
 */
export function keycloak({
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
    requiredClaimValues: { typ: ['Bearer', 'DPoP'] },
    clientIdClaims: ['azp'],
  }
}
