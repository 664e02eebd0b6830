import { exactIssuer, exactResource } from '../../oauth/exact-url.js'
import { scopeExpansion } from '../../oauth/implied-scopes.js'
import type { Registration } from '../../oauth/registration/registration.js'
import { amount, count, oneOf, refuse, texts } from '../option-checks.js'
import { scopeRenaming } from '../scope-map.js'
import { claimsReader } from '../typed-claims.js'
import type { AnswerRules } from './answer.js'
import type { IntrospectionResourceServerOptions } from './options.js'

/** The options of `introspectionResourceServer`, checked. */
export interface IntrospectionRules extends AnswerRules {
  readonly resource: string
  readonly registration: Registration
  readonly endpoint: string | undefined
  readonly signed: boolean
  readonly cacheSeconds: number
  readonly maxConcurrentRequests: number
  readonly allowLoopbackHttp: boolean
}

const secretMethods = ['client_secret_basic', 'client_secret_post', 'private_key_jwt']

/** Checks all options; throws `DefinitionError` (`ERR_OPTION`) with the name of the first wrong one. */
export function introspectionRules(options: IntrospectionResourceServerOptions<unknown>): IntrospectionRules {
  const { allowLoopbackHttp = false, endpoint, audienceBinding = 'audience', subjectFrom = 'sub' } = options
  const resource = exactResource('resource', options.resource, { allowLoopbackHttp })
  const registration = checkedRegistration(options.registration)
  if (endpoint !== undefined) exactResource('endpoint', endpoint, { allowLoopbackHttp })
  oneOf('audienceBinding', audienceBinding, ['audience', 'endpoint'])
  oneOf('subjectFrom', subjectFrom, ['sub', 'client_id'])
  if (options.signedResponse !== undefined) oneOf('signedResponse', options.signedResponse, ['required'])
  const rename = scopeRenaming('scopeMap', options.scopeMap ?? {})
  const expand = scopeExpansion('impliedScopes', options.impliedScopes ?? {})
  return {
    resource,
    registration,
    issuer: exactIssuer('registration.issuer', registration.issuer, { allowLoopbackHttp }),
    endpoint,
    audiences: new Set([resource, ...texts('acceptedAudiences', options.acceptedAudiences ?? [])]),
    audienceRequired: audienceBinding === 'audience',
    signed: options.signedResponse === 'required',
    subjectFrom,
    expandScopes: (granted) => expand(rename(granted)),
    readClaims: claimsReader('claims', options.claims),
    clockToleranceSeconds: amount('clockToleranceSeconds', options.clockToleranceSeconds ?? 5, 0, 60),
    cacheSeconds: options.cache === undefined ? 0 : checkedCacheSeconds(options.cache),
    maxConcurrentRequests: count('maxConcurrentRequests', options.maxConcurrentRequests ?? 64, 1, 1_000),
    allowLoopbackHttp,
  }
}

function checkedRegistration(registration: Registration): Registration {
  const given: unknown = registration
  if (typeof given !== 'object' || given === null || typeof registration.authenticate !== 'function')
    refuse(
      'registration',
      'must be a registration, for example `secretBasic({ issuer, clientId, clientSecret })`',
    )
  if (!secretMethods.includes(registration.method))
    refuse('registration', 'must be of a client with a secret or a key, or anybody could ask')
  return registration
}

function checkedCacheSeconds(cache: { readonly maxSeconds: number }): number {
  const given: unknown = cache
  if (typeof given !== 'object' || given === null) refuse('cache', 'must be an object with `maxSeconds`')
  return amount('cache.maxSeconds', cache.maxSeconds, 1, 60)
}
