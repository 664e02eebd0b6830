import type { FastifyInstance, FastifyRequest } from 'fastify'
import { DefinitionError } from '../errors.js'
import type { Principal } from '../oauth/principal.js'

/** Under this key a request holds the principal its token was verified for. */
export const principalKey = Symbol('castellan.principal')

declare module 'fastify' {
  interface FastifyRequest {
    [principalKey]: Principal | undefined
  }
}

/** Gives the requests of a context room for a principal. */
export function holdPrincipal(app: FastifyInstance): void {
  if (!app.hasRequestDecorator(principalKey)) app.decorateRequest(principalKey, undefined)
}

/**
 * Makes `request.principal` readable in the whole app, so that a route without a guard gets an error and never an
 * `undefined` that looks like nobody. Throws `ERR_OPTION` where the host uses the name for something else.
 */
export function exposePrincipal(app: FastifyInstance): void {
  const root = outermost(app)
  if (!root.hasRequestDecorator(principalKey)) {
    if (app.hasRequestDecorator('principal') || root.hasRequestDecorator('principal'))
      throw new DefinitionError('protect: the app decorates requests with `principal` already', 'ERR_OPTION')
    root.decorateRequest(principalKey, undefined)
    root.decorateRequest('principal', { getter: readPrincipal, setter: writePrincipal })
  }
}

/** From now on the request is this principal's, whatever hooks that ran before have written under the name. */
export function enterAs(request: FastifyRequest, principal: Principal): void {
  Reflect.deleteProperty(request, 'principal')
  request[principalKey] = principal
}

/** A context inherits from the one it was registered in. */
function outermost(app: FastifyInstance): FastifyInstance {
  const outer = Object.getPrototypeOf(app) as Partial<FastifyInstance> | null
  return outer !== null && 'decorateRequest' in outer ? outermost(outer as FastifyInstance) : app
}

function readPrincipal(this: FastifyRequest): Principal {
  const principal = this[principalKey]
  if (principal !== undefined) return principal
  throw new Error('request.principal is only there on routes under protect, once their token was verified')
}

/** Other contexts may use the name for themselves; where somebody was verified, nobody else takes the place. */
function writePrincipal(this: FastifyRequest, value: unknown): void {
  if (this[principalKey] !== undefined) throw new TypeError('request.principal cannot be replaced')
  Object.defineProperty(this, 'principal', { value, writable: true, configurable: true, enumerable: true })
}
