import { documentFetcher, type DocumentFetcher } from '../../network/document-fetcher.js'
import { systemClock, type Clock } from '../back-off.js'
import type { JwtResourceServerOptions } from './options.js'
import { describeRelaxations } from './relaxations.js'
import { jwtRules, type JwtRules } from './rules.js'
import { jwtVerifier } from './verifier.js'
import { publishedKeySet, staticKeySet, type KeySet } from './key-set.js'
import { keysAt, keysOfIssuer } from './published-keys.js'
import type { ResourceServer } from '../resource-server.js'
import { cachedVerifier } from '../token-cache.js'

/**
 * Makes a resource server for signed JWT access tokens of one authorization server.
 *
 * Tokens must be what RFC 9068 §4 says and name `resource` in `aud`; keys are read on first use, so building one
 * needs no network. Throws `DefinitionError` (`ERR_OPTION`) for a missing or wrong option.
 *
 * @example
 * jwtResourceServer({ resource: 'https://api.example.com/mcp', issuer: 'https://login.example.com' })
 */
export function jwtResourceServer<Claims = Record<string, unknown>>(
  options: JwtResourceServerOptions<Claims>,
): ResourceServer<Claims> {
  return jwtResourceServerAt(options, systemClock)
}

/** @internal The same with a clock that tests can set. */
export function jwtResourceServerAt<Claims>(
  options: JwtResourceServerOptions<Claims>,
  clock: Clock,
): ResourceServer<Claims> {
  const rules = jwtRules(options)
  const fetcher = documentFetcher()
  const keys = keySetFor(rules, fetcher, clock)
  const verify = cachedVerifier(jwtVerifier(rules, keys, clock.now), {
    maxTokens: rules.maxCachedTokens,
    maxMilliseconds: rules.maxCacheSeconds * 1000,
    now: clock.now,
    generation: () => keys.generation,
  })
  return Object.freeze({
    resource: rules.resource,
    issuers: Object.freeze([rules.issuer]),
    accepts: Object.freeze({ format: 'jwt', issuers: Object.freeze([...rules.issuers]) }),
    relaxations: describeRelaxations(options),
    verify: verify as ResourceServer<Claims>['verify'],
    close: () => fetcher.close(),
  })
}

function keySetFor(rules: JwtRules, fetcher: DocumentFetcher, clock: Clock): KeySet {
  if (rules.keys !== undefined) return staticKeySet(rules.keys)
  const load =
    rules.jwksUri === undefined
      ? keysOfIssuer(rules.issuer, rules.allowLoopbackHttp, fetcher)
      : keysAt(rules.jwksUri, fetcher)
  return publishedKeySet(load, clock, rules.staleIfErrorSeconds)
}
