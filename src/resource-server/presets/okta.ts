import type { Preset } from './preset.js'

/**
 * Okta, a custom authorization server: `issuer` is `https://<domain>/oauth2/<id>`, `audiences` what it is configured to
 * issue for, such as `api://default`. Tokens of the org authorization server are for Okta itself and refused by their
 * issuer. ID tokens have no `cid` and are refused. Shape of `scp` and `cid` as seen in tokens, the rest from documentation
 * only.
 */
export function okta({
  issuer,
  audiences,
}: {
  readonly issuer: string
  readonly audiences: readonly string[]
}): Preset {
  return {
    issuer,
    profile: 'relaxed',
    allowedTyp: ['JWT'],
    allowMissingTyp: true,
    acceptedAudiences: audiences,
    clientIdClaims: ['cid'],
    scopeClaims: ['scp'],
  }
}
