import type { Preset } from './preset.js'

/**
 * Supabase Auth, one project with its OAuth server and asymmetric signing keys on: `issuer` is
 * `https://<project>.supabase.co/auth/v1`. All its tokens have the audience `authenticated`, so any token of one of the
 * `clients` is taken, whichever API it was meant for: give this API clients of its own. Sessions of the project's own
 * apps name no client and are refused. Tokens carry no scopes. Shape from documentation only.
 */
export function supabase({
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
    allowedTyp: ['JWT'],
    acceptedAudiences: ['authenticated'],
    requiredClaimValues: { client_id: clients },
    clientIdClaims: ['client_id'],
  }
}
