import type { MintOptions } from '../mint.js'
import { auth0, auth0Id, auth0Machine, auth0Rfc9068 } from './auth0.js'
import { cognito, cognitoId } from './cognito.js'
import { entraApp, entraId, entraV1, entraV2 } from './entra.js'
import { keycloak, keycloakId, keycloakUnmapped } from './keycloak.js'
import { okta, oktaId, oktaOrg } from './okta.js'
import type { ProviderTokenOptions, Shape } from './shape.js'
import { supabase, supabaseSession } from './supabase.js'

export type { ProviderTokenOptions } from './shape.js'

const shapes = {
  'entra-v1': entraV1,
  'entra-v2': entraV2,
  'entra-app': entraApp,
  'entra-id': entraId,
  okta,
  'okta-org': oktaOrg,
  'okta-id': oktaId,
  auth0,
  'auth0-machine': auth0Machine,
  'auth0-rfc9068': auth0Rfc9068,
  'auth0-id': auth0Id,
  keycloak,
  'keycloak-unmapped': keycloakUnmapped,
  'keycloak-id': keycloakId,
  cognito,
  'cognito-id': cognitoId,
  supabase,
  'supabase-session': supabaseSession,
} satisfies Record<string, Shape>

/** Tokens of identity providers; `-id` are ID tokens, which no resource server may accept. */
export type ProviderTokenKind = keyof typeof shapes

/**
 * What to mint for a token in the shape of a provider, as its documentation shows it, signed with ES256 all the same.
 *
 * @example
 * const auth = jwtResourceServer({ resource, ...okta({ issuer, audiences }), jwksUri: as.jwksUri, allowLoopbackHttp: true })
 * const token = await as.mint(providerToken('okta', { issuer, audience: 'api://default', scopes: ['notes:read'] }))
 */
export function providerToken(kind: ProviderTokenKind, options: ProviderTokenOptions): MintOptions {
  const { issuer, audience, scopes = [], subject = 'alice', clientId = 'test-client', claims = {} } = options
  const shape: Shape = shapes[kind]
  const shaped = shape({ issuer, audience, scopes, subject, clientId, claims })
  return {
    ...{ resource: audience, scopes, subject, clientId },
    ...shaped,
    claims: { iss: issuer, ...shaped.claims, ...claims },
  }
}
