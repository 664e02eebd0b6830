import type { Preset } from './preset.js'

/**
 * Amazon Cognito, one user pool: `issuer` is `https://cognito-idp.<region>.amazonaws.com/<pool>`. Its access tokens name
 * no audience, so any access token of one of the `clients` is taken, whichever API it was meant for: give this API
 * clients of its own. A token that does name an audience must name the resource. Scopes are `<server>/<name>`.
 */
export function cognito({
  issuer,
  clients,
}: {
  readonly issuer: string
  readonly clients: readonly string[]
}): Preset {
  return {
    issuer,
    jwksUri: `${issuer}/.well-known/jwks.json`,
    profile: 'relaxed',
    allowedTyp: [],
    allowMissingTyp: true,
    audienceClaim: 'client_id',
    acceptedAudiences: clients,
    requiredClaimValues: { token_use: 'access' },
    clientIdClaims: ['client_id'],
  }
}
