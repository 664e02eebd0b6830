import type {
  FastifyContextConfig,
  FastifyInstance,
  FastifyRequest,
  RouteOptions,
  onRequestHookHandler,
} from 'fastify'
import fp from 'fastify-plugin'
import { DefinitionError } from '../errors.js'
import type { Principal } from '../oauth/principal.js'
import { satisfies, scopeAlternatives, type ScopeAlternatives, type ScopeRule } from '../oauth/scope.js'
import { createGuard } from '../resource-server/guard.js'
import type { ResourceServer } from '../resource-server/resource-server.js'
import { auditor, refusal, type Audit, type AuditEvent } from './audit.js'
import { authenticateRequest, reject } from './authenticate-request.js'
import { take } from './in-process-request.js'
import { installing } from './installing.js'
import { ownGuard } from './own-guard.js'
import { publishMetadata } from './publish-metadata.js'
import { enterAs, exposePrincipal } from './request-principal.js'
import { tellRelaxations } from './tell-relaxations.js'

declare module 'fastify' {
  interface FastifyRequest {
    /** Who is asking. Only on routes under `protect`; reading it anywhere else throws. */
    readonly principal: Principal
  }
  interface FastifyContextConfig {
    /** The scopes a route under `protect` needs; the plugin's `basicScopes` when left out. */
    readonly scopes?: ScopeRule
  }
}

export interface ProtectOptions {
  /** Whose tokens are accepted. */
  readonly auth: ResourceServer
  /** Scopes for routes that declare none; named in every 401 and in the metadata document. Default none. */
  readonly basicScopes?: readonly string[]
  /**
   * The absolute URL a client sent a request to, without query, for apps behind a proxy that changes paths. Default:
   * the origin of `auth.resource` and the path as received.
   */
  readonly publicUrl?: (request: FastifyRequest) => string
  /** Hears of every decision: who was let in to which route, and who was turned away and why. */
  readonly audit?: Audit
}

/**
 * Guards every route of the context it is registered in, and of the contexts below: the token is verified before the
 * body is read, `config.scopes` of the route are checked, `request.principal` is filled.
 *
 * It also guards the 404 of the context, so nobody learns without a token which routes there are. Routes for everybody
 * belong in another context. Register `@fastify/cors` before it, since preflights carry no token. Throws `ERR_OPTION`
 * while the app starts. RFC 6750 §3, RFC 9728 §5.
 */
export const protect = fp(
  installing<ProtectOptions>((app, options) => {
    const { auth, basicScopes } = options
    checkOptions(options)
    const scopes = basicScopes === undefined ? {} : { basicScopes }
    const hook = guardHook(options)
    claim(app, auth)
    exposePrincipal(app)
    app.addHook('onRoute', checkScopes)
    app.addHook('onRequest', hook)
    warnOfLateCors(app)
    publishMetadata(app, 'protect', auth, scopes)
    tellRelaxations(app, auth)
  }),
  { name: 'castellan-protect', fastify: '5.x' },
)

function checkOptions({ auth, publicUrl }: ProtectOptions): void {
  if (typeof (auth as Partial<ResourceServer> | undefined)?.verify !== 'function')
    throw new DefinitionError('`auth` must be a resource server', 'ERR_OPTION')
  if (publicUrl !== undefined && typeof publicUrl !== 'function')
    throw new DefinitionError('`publicUrl` must be a function', 'ERR_OPTION')
}

function checkScopes({ method, url, config }: RouteOptions): void {
  if (config?.scopes !== undefined) scopeAlternatives(`scopes of ${String(method)} ${url}`, config.scopes)
}

const claimed: unique symbol = Symbol('castellan.protected')

declare module 'fastify' {
  interface FastifyInstance {
    readonly [claimed]?: ResourceServer
  }
}

/** Whose tokens the routes registered in this context need; undefined where `protect` guards nothing. */
export function protectorOf(app: FastifyInstance): ResourceServer | undefined {
  return app[claimed]
}

/** One guard for one route: a second one around or inside the context is a mistake, whichever came first. */
function claim(app: FastifyInstance, auth: ResourceServer): void {
  if (app.hasDecorator(claimed)) throw protectedTwice()
  app.decorate(claimed, auth)
  const outer = Object.getPrototypeOf(app) as object
  app.addHook('onReady', (ready) => {
    ready(claimed in outer ? protectedTwice() : undefined)
  })
}

function protectedTwice(): DefinitionError {
  return new DefinitionError(
    'protect: the context is protected already; contexts with different guards stand side by side',
    'ERR_OPTION',
  )
}

/** Plugins' hooks run in the order they came, so this guard would ask preflights for a token. */
function warnOfLateCors(app: FastifyInstance): void {
  const hasCors = () => app.hasRequestDecorator('corsPreflightEnabled')
  if (hasCors()) return
  app.addHook('onReady', (ready) => {
    if (hasCors())
      app.log.warn('protect: @fastify/cors comes after it, so preflights are refused; register it before')
    ready()
  })
}

function guardHook({ auth, basicScopes = [], publicUrl, ...options }: ProtectOptions): onRequestHookHandler {
  const guard = createGuard({ resourceServer: auth, basicScopes })
  const scopesOf = routeScopes(basicScopes)
  const { origin } = new URL(auth.resource)
  const audit = auditor(options.audit)
  const target = publicUrl ?? (({ originalUrl }) => origin + (originalUrl.split('?', 1)[0] ?? ''))
  const checkpoint = { guard, target, audit, operation: routeOf }
  return (request, reply, next) => {
    const { config } = request.routeOptions
    if (config[ownGuard] === true) {
      next()
      return
    }
    const enter = (principal: Principal) => {
      const needed = scopesOf(config)
      if (!satisfies(principal.scopes, needed)) {
        const rejection = guard.forbid(needed)
        audit?.(request, { ...refusal(rejection), operation: routeOf(request), principal })
        void reject(reply, rejection)
        return
      }
      audit?.(request, { outcome: 'allowed', operation: routeOf(request), principal })
      enterAs(request, principal)
      next()
    }
    const caller = take(request.raw, 'caller')
    if (caller?.auth === auth) enter(caller.principal)
    else authenticateRequest(checkpoint, request, reply, enter)
  }
}

/** The route as declared, without the values in its path; there is none for what nobody routed. */
function routeOf({ method, routeOptions: { url } }: FastifyRequest): AuditEvent['operation'] {
  return url === undefined ? undefined : { route: `${method} ${url}` }
}

/** The scopes of each route, checked and remembered at its first request. */
function routeScopes(basicScopes: readonly string[]): (config: FastifyContextConfig) => ScopeAlternatives {
  const basic = scopeAlternatives('basicScopes', basicScopes)
  const known = new WeakMap<FastifyContextConfig, ScopeAlternatives>()
  return (config) => {
    if (config.scopes === undefined) return basic
    const scopes = known.get(config) ?? scopeAlternatives('scopes', config.scopes)
    known.set(config, scopes)
    return scopes
  }
}
