import { abortable } from '../../network/abortable.js'
import { boundedHttp, type BoundedHttp } from '../../network/bounded-http.js'
import { documentFetcher, type DocumentFetcher } from '../../network/document-fetcher.js'
import { exactResource } from '../../oauth/exact-url.js'
import type { Principal } from '../../oauth/principal.js'
import type { Registration } from '../../oauth/registration/registration.js'
import { requiredScopes } from '../../oauth/scope.js'
import { systemClock, type Clock } from '../back-off.js'
import { callerToken, wantCallerTokens } from '../caller-token.js'
import { fixedEndpoint, publishedEndpoint, type IssuerEndpoint } from '../issuer-endpoint.js'
import { refuse } from '../option-checks.js'
import { accessTokenType, readExchange, type UpstreamToken } from './answer.js'
import { TokenExchangeError } from './errors.js'
import { upstreamTokens } from './upstream-tokens.js'

/** Options of `tokenExchange`. Name the upstream by `resource`, by `audience`, or by both. */
export interface TokenExchangeOptions {
  /** This server as a client of the authorization server that issued the callers' tokens. */
  readonly registration: Registration
  /** The token endpoint. Default: the one in the metadata of the issuer (RFC 8414 §2). */
  readonly endpoint?: string
  /** The upstream API as an absolute URL (RFC 8707 §2). */
  readonly resource?: string
  /** The upstream API by the name the authorization server has for it. */
  readonly audience?: string
  /** Scopes to ask for. Default: what the authorization server gives. */
  readonly scopes?: readonly string[]
  /** Accept `http` for endpoint and resource on 127.0.0.0/8, `[::1]` and `localhost`. Default false. */
  readonly allowLoopbackHttp?: boolean
}

/** Gets tokens with which this server calls an upstream API in the name of its callers. */
export interface TokenExchange {
  /**
   * Exchanges the token of a principal, which must be the object a guard gave. Throws `TokenExchangeError`, or the reason
   * of `signal`.
   */
  (principal: Principal, options?: { readonly signal?: AbortSignal }): Promise<UpstreamToken>
  /** Closes the connections to the authorization server. */
  close(): Promise<void>
}

/**
 * Makes the exchange of callers' tokens for tokens of one upstream API (RFC 8693), so that no caller's token is ever
 * passed on; handlers see neither the caller's token nor a way to it.
 *
 * Build it when the app starts: guards remember tokens from then on. Results are kept for 5 minutes at most. Only tokens
 * of `registration.issuer` are sent, and only there. Throws `DefinitionError` (`ERR_OPTION`); the function throws
 * `ERR_NO_CALLER_TOKEN`, `ERR_TOKEN_ENDPOINT` and `ERR_AUTHORIZATION_UNAVAILABLE`.
 *
 * @example
 * const calendar = tokenExchange({ registration, resource: 'https://calendar.example.com', scopes: ['events:read'] })
 * const { accessToken } = await calendar(ctx.principal, { signal: ctx.signal })
 */
export function tokenExchange(options: TokenExchangeOptions): TokenExchange {
  return tokenExchangeAt(options, systemClock)
}

/** @internal The same with a clock that tests can set. */
export function tokenExchangeAt(options: TokenExchangeOptions, clock: Clock): TokenExchange {
  const { registration } = options
  const parameters = requestParameters(options)
  const http = boundedHttp()
  const fetcher = documentFetcher()
  const endpoint = endpointOf(options, fetcher)
  const now = () => clock.now() / 1000
  const exchange = (token: string) =>
    send(token, { registration, parameters, endpoint, http }).then((outcome) =>
      readExchange(outcome, token, now()),
    )
  const upstream = upstreamTokens(exchange, now)
  wantCallerTokens()

  return Object.assign(
    async (principal: Principal, { signal }: { readonly signal?: AbortSignal } = {}) => {
      signal?.throwIfAborted()
      const token = principal.issuer === registration.issuer ? callerToken(principal) : undefined
      if (token === undefined) throw new TokenExchangeError('ERR_NO_CALLER_TOKEN')
      return abortable(upstream(token, principal.expiresAt), signal)
    },
    {
      async close() {
        await Promise.all([http.close(), fetcher.close()])
      },
    },
  )
}

function requestParameters(options: TokenExchangeOptions): URLSearchParams {
  const { registration, resource, audience, scopes = [], allowLoopbackHttp = false } = options
  if (typeof (registration as Partial<Registration> | undefined)?.authenticate !== 'function')
    refuse('registration', 'must be one, such as secretBasic')
  if (registration.method === 'none') refuse('registration', 'must have a secret or a key')
  if (resource === undefined && audience === undefined)
    refuse('resource', 'or `audience` must name the upstream')
  if (audience !== undefined && (typeof audience !== 'string' || audience === ''))
    refuse('audience', 'must be a non-empty string')
  return new URLSearchParams({
    grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
    ...(resource !== undefined && { resource: exactResource('resource', resource, { allowLoopbackHttp }) }),
    ...(audience !== undefined && { audience }),
    ...(scopes.length > 0 && { scope: requiredScopes('scopes', scopes).join(' ') }),
    requested_token_type: accessTokenType,
    subject_token_type: accessTokenType,
  })
}

function endpointOf(
  { registration: { issuer }, endpoint: url, allowLoopbackHttp = false }: TokenExchangeOptions,
  fetcher: DocumentFetcher,
): IssuerEndpoint {
  if (url === undefined) return publishedEndpoint(issuer, 'token_endpoint', allowLoopbackHttp, fetcher)
  exactResource('endpoint', url, { allowLoopbackHttp })
  return fixedEndpoint(url, { issuer, token_endpoint: url })
}

interface Sending {
  readonly registration: Registration
  readonly parameters: URLSearchParams
  readonly endpoint: IssuerEndpoint
  readonly http: BoundedHttp
}

async function send(token: string, { registration, parameters, endpoint, http }: Sending) {
  const located = await endpoint.locate()
  if (!located.ok) throw new TokenExchangeError('ERR_AUTHORIZATION_UNAVAILABLE', located.reason)
  const form = new URLSearchParams(parameters)
  form.set('subject_token', token)
  const headers = new Headers({ accept: 'application/json' })
  await registration.authenticate(located.server, { client_id: registration.clientId }, form, headers)
  const outcome = await http.send({ url: located.url, form, headers: Object.fromEntries(headers) })
  if (!outcome.ok || outcome.status >= 500 || outcome.status === 404) endpoint.doubt()
  return outcome
}
