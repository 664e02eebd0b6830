/** In the `config` of a route: `protect` leaves it alone, since it has a guard of its own or is a public document. */
export const ownGuard = Symbol('castellan.own-guard')

declare module 'fastify' {
  interface FastifyContextConfig {
    readonly [ownGuard]?: boolean
  }
}
