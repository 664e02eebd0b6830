import { hash, randomBytes } from 'node:crypto'
import { boundedHttp } from '../../network/bounded-http.js'
import { documentFetcher, type DocumentFetcher } from '../../network/document-fetcher.js'
import { systemClock, type Clock } from '../back-off.js'
import { publishedKeySet } from '../jwt/key-set.js'
import { keysOfIssuer } from '../jwt/published-keys.js'
import type { ResourceServer } from '../resource-server.js'
import { cachedVerifier, type Verified } from '../token-cache.js'
import { isPresentable } from '../token-shape.js'
import { refused, undecided } from '../verdict.js'
import { judgeAnswer } from './answer.js'
import { boundedIntrospection, type IntrospectionLimits } from './bounded-introspection.js'
import { circuitBreaker } from './circuit-breaker.js'
import { fixedEndpoint, publishedEndpoint, type IssuerEndpoint } from '../issuer-endpoint.js'
import { introspector, type IntrospectorSettings } from './introspector.js'
import type { IntrospectionResourceServerOptions } from './options.js'
import { describeRelaxations } from './relaxations.js'
import { introspectionRules, type IntrospectionRules } from './rules.js'
import { openSignedAnswer } from './signed-answer.js'

const usualLimits = { waiting: 1_000, timeoutMilliseconds: 5_000 }
const maxCachedTokens = 10_000

/**
 * Makes a resource server that asks the authorization server about each token (RFC 7662), so also for opaque ones.
 *
 * A token revoked there is refused with the next request, unless `cache` is given. Whatever is not a right answer is
 * undecided; after five failures in a row nothing is asked for a while. An answer is awaited for 5 s at most. A principal
 * whose answer has no `exp` expires after 60 s. Throws `DefinitionError` (`ERR_OPTION`) for a missing or wrong option.
 *
 * @example
 * introspectionResourceServer({
 *   resource: 'https://api.example.com/mcp',
 *   registration: secretBasic({ issuer: 'https://login.example.com', clientId: 'notes-api', clientSecret }),
 * })
 */
export function introspectionResourceServer<Claims = Record<string, unknown>>(
  options: IntrospectionResourceServerOptions<Claims>,
): ResourceServer<Claims> {
  return introspectionResourceServerAt(options, systemClock, usualLimits)
}

/** @internal The same with a clock and limits that tests can set. */
export function introspectionResourceServerAt<Claims>(
  options: IntrospectionResourceServerOptions<Claims>,
  clock: Clock,
  limits: Omit<IntrospectionLimits, 'concurrent'> = usualLimits,
): ResourceServer<Claims> {
  const rules = introspectionRules(options)
  const { issuer, maxConcurrentRequests: concurrent } = rules
  const fetcher = documentFetcher()
  const http = boundedHttp({ connections: concurrent })
  const breaker = circuitBreaker(clock)
  const introspect = introspector({
    registration: rules.registration,
    endpoint: endpointFor(rules, fetcher),
    http,
    ...(rules.signed && { openSigned: signedAnswers(rules, fetcher, clock) }),
  })
  const ask = boundedIntrospection(introspect, breaker, { concurrent, ...limits })
  const verify = cachedVerifier((token) => decide(token), {
    maxTokens: maxCachedTokens,
    maxMilliseconds: rules.cacheSeconds * 1000,
    now: clock.now,
    generation: () => breaker.generation,
    keyOf: rules.cacheSeconds > 0 ? secretDigest() : itself,
  })

  async function decide(token: string): Promise<Verified> {
    const { generation } = breaker
    const asked = await ask(token)
    if (!asked.ok) {
      const retryAfterSeconds = 'retryAfterSeconds' in asked ? asked.retryAfterSeconds : 1
      return { verification: undecided(asked.reason, retryAfterSeconds) }
    }
    const verification = judgeAnswer(asked.answer, token, rules, clock.now() / 1000)
    return rules.cacheSeconds > 0 && 'principal' in verification
      ? { verification, validUntil: verification.principal.expiresAt * 1000, generation }
      : { verification }
  }

  return Object.freeze({
    resource: rules.resource,
    issuers: Object.freeze([issuer]),
    accepts: Object.freeze({ format: 'any', issuers: Object.freeze([issuer]) }),
    relaxations: describeRelaxations(options),
    verify: ((token) =>
      isPresentable(token) ? verify(token) : malformed) as ResourceServer<Claims>['verify'],
    async close() {
      await Promise.all([fetcher.close(), http.close()])
    },
  })
}

const malformed = refused('malformed')

function endpointFor(
  { issuer, endpoint, allowLoopbackHttp }: IntrospectionRules,
  fetcher: DocumentFetcher,
): IssuerEndpoint {
  return endpoint === undefined
    ? publishedEndpoint(issuer, 'introspection_endpoint', allowLoopbackHttp, fetcher)
    : fixedEndpoint(endpoint, { issuer })
}

function signedAnswers(
  rules: IntrospectionRules,
  fetcher: DocumentFetcher,
  clock: Clock,
): NonNullable<IntrospectorSettings['openSigned']> {
  const { issuer, allowLoopbackHttp, registration, audiences, clockToleranceSeconds } = rules
  const keys = publishedKeySet(keysOfIssuer(issuer, allowLoopbackHttp, fetcher), clock, 0)
  const recipients = new Set([registration.clientId, ...audiences])
  return (jws) =>
    openSignedAnswer(jws, { issuer, recipients, clockToleranceSeconds }, keys, clock.now() / 1000)
}

/** Names tokens by a digest that a dump of the memory of another process does not help to recognise. */
function secretDigest(): (token: string) => string {
  const salt = randomBytes(32).toString('base64')
  return (token) => hash('sha256', salt + token, 'base64')
}

/** Names a token while it is asked about and no longer. */
function itself(token: string): string {
  return token
}
