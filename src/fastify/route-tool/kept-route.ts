import { AsyncLocalStorage } from 'node:async_hooks'
import type { FastifyReply, FastifyRequest } from 'fastify'

/** The route a request made in process is meant for. */
interface Aim {
  readonly method: string
  readonly url: string
  /** Until the first request is seen; what its handler injects itself is free. */
  open: boolean
}

const aims = new AsyncLocalStorage<Aim>()

/** Makes sure that the first request injected by `inject` reaches this route or none. */
export function towardsRoute<T>(
  { method, url }: Pick<Aim, 'method' | 'url'>,
  inject: () => PromiseLike<T>,
): Promise<T> {
  return aims.run({ method, url, open: true }, async () => await inject())
}

/**
 * The first hook of every request: a value in a path may spell another route, such as `/invoices/export` beside
 * `/invoices/:id`, which nobody exposed; that is a 404.
 */
export function keepToRoute(request: FastifyRequest, reply: FastifyReply, done: () => void): void {
  const aim = aims.getStore()
  if (aim?.open !== true) {
    done()
    return
  }
  aim.open = false
  const { url, method } = request.routeOptions
  if (url === undefined || (url === aim.url && [method].flat().includes(aim.method))) done()
  else reply.callNotFound()
}
