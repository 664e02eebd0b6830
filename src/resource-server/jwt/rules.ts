import type { JWK } from 'jose'
import { exactIssuer, exactResource } from '../../oauth/exact-url.js'
import { scopeExpansion } from '../../oauth/implied-scopes.js'
import { amount, count, oneOf, refuse, texts } from '../option-checks.js'
import { scopeRenaming } from '../scope-map.js'
import { claimsReader, type ClaimsReader } from '../typed-claims.js'
import { audienceRules } from './audience-rules.js'
import type { ClaimRules } from './claims.js'
import type { JwtResourceServerOptions } from './options.js'
import { profileRules } from './profile-rules.js'
import { requiredValues } from './required-values.js'
import { checkedAlgorithms, checkedKeys } from './signature-rules.js'
import type { HeaderRules } from './token.js'

/** The options of `jwtResourceServer`, checked. */
export interface JwtRules extends HeaderRules, ClaimRules {
  readonly resource: string
  readonly jwksUri: string | undefined
  readonly keys: readonly JWK[] | undefined
  readonly readClaims: ClaimsReader
  readonly staleIfErrorSeconds: number
  readonly maxCachedTokens: number
  readonly maxCacheSeconds: number
  readonly allowLoopbackHttp: boolean
}

/** Checks all options; throws `DefinitionError` (`ERR_OPTION`) with the name of the first wrong one. */
export function jwtRules(options: JwtResourceServerOptions<unknown>): JwtRules {
  const { allowLoopbackHttp = false, jwksUri, keys } = options
  const resource = exactResource('resource', options.resource, { allowLoopbackHttp })
  if (jwksUri !== undefined && keys !== undefined) refuse('jwksUri', 'and `keys` exclude each other')
  if (jwksUri !== undefined) exactResource('jwksUri', jwksUri, { allowLoopbackHttp })
  const { subjectFrom = 'sub' } = options
  oneOf('subjectFrom', subjectFrom, ['sub', 'client_id'])
  const algorithms = checkedAlgorithms(options.algorithms ?? ['RS256', 'PS256', 'ES256', 'EdDSA'])
  return {
    resource,
    ...issuerRules(options, allowLoopbackHttp),
    jwksUri,
    keys: keys === undefined ? undefined : checkedKeys(keys, algorithms),
    algorithms,
    ...profileRules(options),
    ...audienceRules(resource, options),
    requiredValues: requiredValues('requiredClaimValues', options.requiredClaimValues ?? {}),
    subjectFrom,
    ...scopeRules(options),
    readClaims: claimsReader('claims', options.claims),
    ...limits(options),
    allowLoopbackHttp,
  }
}

function issuerRules(
  { issuer, acceptedIssuers = [] }: JwtResourceServerOptions<unknown>,
  allowLoopbackHttp: boolean,
): Pick<ClaimRules, 'issuer' | 'issuers'> {
  const exact = exactIssuer('issuer', issuer, { allowLoopbackHttp })
  const others = texts('acceptedIssuers', acceptedIssuers)
  for (const other of others) exactIssuer('acceptedIssuers', other, { allowLoopbackHttp })
  return { issuer: exact, issuers: new Set([exact, ...others]) }
}

function scopeRules(
  options: Partial<JwtResourceServerOptions<unknown>>,
): Pick<ClaimRules, 'scopeClaims' | 'expandScopes'> {
  const rename = scopeRenaming('scopeMap', options.scopeMap ?? {})
  const expand = scopeExpansion('impliedScopes', options.impliedScopes ?? {})
  return {
    scopeClaims: texts('scopeClaims', options.scopeClaims ?? ['scope']),
    expandScopes: (granted) => expand(rename(granted)),
  }
}

function limits(options: Partial<JwtResourceServerOptions<unknown>>) {
  return {
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
  }
}
