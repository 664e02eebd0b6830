import { createPublicKey, type JsonWebKey } from 'node:crypto'
import type { JWK } from 'jose'
import { DefinitionError } from '../../errors.js'
import { exactIssuer, exactResource } from '../../oauth/exact-url.js'
import { scopeExpansion } from '../../oauth/implied-scopes.js'
import { amount, count, oneOf, refuse, texts } from '../option-checks.js'
import type { ClaimRules } from './claims.js'
import type { JwtResourceServerOptions } from './options.js'
import { mediaType, type HeaderRules } from './token.js'

/** The options of `jwtResourceServer`, checked. */
export interface JwtRules extends HeaderRules, ClaimRules {
  readonly resource: string
  readonly jwksUri: string | undefined
  readonly keys: readonly JWK[] | undefined
  readonly staleIfErrorSeconds: number
  readonly maxCachedTokens: number
  readonly maxCacheSeconds: number
  readonly allowLoopbackHttp: boolean
}

const knownAlgorithms = new Set<string>([
  ...['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'],
  ...['ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'],
])

/** Types of other tokens that are signed JWTs, too. */
const foreignTypes = new Set([
  ...['logout+jwt', 'secevent+jwt', 'oauth-id-jag+jwt', 'dpop+jwt', 'client-authentication+jwt'],
])

/** Checks all options; throws `DefinitionError` (`ERR_OPTION`) with the name of the first wrong one. */
export function jwtRules(options: JwtResourceServerOptions): JwtRules {
  const { allowLoopbackHttp = false, jwksUri, keys } = options
  const resource = exactResource('resource', options.resource, { allowLoopbackHttp })
  if (jwksUri !== undefined && keys !== undefined) refuse('jwksUri', 'and `keys` exclude each other')
  if (jwksUri !== undefined) exactResource('jwksUri', jwksUri, { allowLoopbackHttp })
  const algorithms = checkedAlgorithms(options.algorithms ?? ['RS256', 'PS256', 'ES256', 'EdDSA'])
  const {
    profile = 'rfc9068',
    subjectFrom = 'sub',
    scopeClaims = ['scope'],
    acceptedAudiences = [],
  } = options
  oneOf('profile', profile, ['rfc9068', 'relaxed'])
  oneOf('subjectFrom', subjectFrom, ['sub', 'client_id'])
  return {
    resource,
    issuer: exactIssuer('issuer', options.issuer, { allowLoopbackHttp }),
    jwksUri,
    keys: keys === undefined ? undefined : checkedKeys(keys, algorithms),
    algorithms,
    profile,
    types: profile === 'rfc9068' ? standardTypes(options) : relaxedTypes(options.allowedTyp),
    allowMissingType: options.allowMissingTyp ?? false,
    audiences: new Set([resource, ...texts('acceptedAudiences', acceptedAudiences)]),
    subjectFrom,
    scopeClaims: texts('scopeClaims', scopeClaims),
    expandScopes: scopeExpansion('impliedScopes', options.impliedScopes ?? {}),
    clockToleranceSeconds: amount('clockToleranceSeconds', options.clockToleranceSeconds ?? 5, 0, 60),
    maxTokenLifetimeSeconds: amount(
      'maxTokenLifetimeSeconds',
      options.maxTokenLifetimeSeconds ?? 86_400,
      0,
      Infinity,
    ),
    staleIfErrorSeconds: amount('staleIfErrorSeconds', options.staleIfErrorSeconds ?? 0, 0, 86_400),
    maxCachedTokens: count('maxCachedTokens', options.maxCachedTokens ?? 10_000, 1, 1_000_000),
    maxCacheSeconds: amount('maxCacheSeconds', options.maxCacheSeconds ?? 300, 0, 3_600),
    allowLoopbackHttp,
  }
}

function checkedAlgorithms(algorithms: readonly string[]): ReadonlySet<string> {
  texts('algorithms', algorithms)
  const unknown = algorithms.find((name) => !knownAlgorithms.has(name))
  if (unknown !== undefined)
    refuse('algorithms', `holds ${unknown}, which is not a known signature with public keys`)
  if (algorithms.length === 0) refuse('algorithms', 'must not be empty')
  return new Set(algorithms)
}

function checkedKeys(keys: readonly JWK[], algorithms: ReadonlySet<string>): readonly JWK[] {
  const given: unknown = keys
  if (!Array.isArray(given) || !given.every((key) => typeof key === 'object' && key !== null))
    refuse('keys', 'must be a list of JSON Web Keys')
  if (keys.length === 0) refuse('keys', 'must not be empty')
  for (const key of keys) {
    if (key.kty === 'oct' || key.d !== undefined || key.priv !== undefined)
      refuse('keys', 'must be public keys')
    if (key.use !== undefined && key.use !== 'sig') refuse('keys', 'holds a key that is not for signatures')
    if (key.alg !== undefined && !algorithms.has(key.alg)) refuse('keys', `holds a key for ${key.alg}`)
    if ((modulusLength(key) ?? 2048) < 2048) refuse('keys', 'holds an RSA key shorter than 2048 bits')
  }
  return keys
}

function modulusLength(key: JWK): number | undefined {
  try {
    return createPublicKey({ key: key as JsonWebKey, format: 'jwk' }).asymmetricKeyDetails?.modulusLength
  } catch {
    throw new DefinitionError('`keys` holds a key that cannot be read', 'ERR_OPTION')
  }
}

function standardTypes(options: JwtResourceServerOptions): ReadonlySet<string> {
  if (options.allowedTyp !== undefined || options.allowMissingTyp !== undefined) {
    refuse('allowedTyp', "and `allowMissingTyp` are only for `profile: 'relaxed'`")
  }
  return new Set(['at+jwt'])
}

function relaxedTypes(allowedTyp: readonly string[] | undefined): ReadonlySet<string> {
  if (allowedTyp === undefined) refuse('allowedTyp', "is mandatory with `profile: 'relaxed'`")
  const types = texts('allowedTyp', allowedTyp).map(mediaType)
  const foreign = types.find((type) => foreignTypes.has(type))
  if (foreign !== undefined) refuse('allowedTyp', `holds ${foreign}, which is never an access token`)
  return new Set(types)
}
