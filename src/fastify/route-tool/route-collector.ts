import type { FastifyInstance, RouteOptions } from 'fastify'
import fp from 'fastify-plugin'
import { DefinitionError } from '../../errors.js'
import { keepToRoute } from './kept-route.js'

/** A route of the app as it was registered, for one of its methods. */
export interface SeenRoute {
  readonly method: string
  readonly url: string
  /** Read at the end of the start only: until then other plugins may change it. */
  readonly options: RouteOptions
  /** Where the route was registered; it knows the shared schemas of that place. */
  readonly app: FastifyInstance
}

/** Under this key an app holds the routes that were registered so far. */
export const seenRoutes = Symbol('castellan.routes')

declare module 'fastify' {
  interface FastifyInstance {
    [seenRoutes]?: readonly SeenRoute[]
  }
}

/**
 * Notes the routes of an app, so that `routeTool` and `routeTools` find them. Register it at the root of the app,
 * awaited, before everything that adds routes. Throws `ERR_OPTION` anywhere else.
 */
export const routeCollector = fp(
  (app, _options, done) => {
    if (!isRoot(app) || hasRoutes(app)) {
      const rule = '`await app.register(routeCollector)` stands at the root of the app, before every route'
      done(new DefinitionError(rule, 'ERR_OPTION'))
      return
    }
    const routes: SeenRoute[] = []
    app.decorate(seenRoutes, routes)
    app.addHook('onRoute', function (options) {
      const { url } = options
      for (const method of [options.method].flat()) routes.push({ method, url, options, app: this })
    })
    app.addHook('onRequest', keepToRoute)
    done()
  },
  { name: 'castellan-route-collector', fastify: '5.x' },
)

/** Contexts inherit from the root, which alone owns its members. */
function isRoot(app: FastifyInstance): boolean {
  return Object.hasOwn(app, 'server')
}

function hasRoutes(app: FastifyInstance): boolean {
  return /[├└]/.test(app.printRoutes())
}
