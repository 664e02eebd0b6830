import { AsyncLocalStorage } from 'node:async_hooks'
import type { FastifyReply, FastifyRequest } from 'fastify'

/** The route a request made in process is meant for, and how long its caller waits. */
interface Aim {
  readonly method: string
  readonly url: string
  readonly signal: AbortSignal
  /** Until the first request is seen; what its handler injects itself is free. */
  open: boolean
}

const aims = new AsyncLocalStorage<Aim>()

/** Makes sure that the first request injected by `inject` reaches this route or none, and ends with the signal. */
export async function towardsRoute<T>(
  { method, url }: Pick<Aim, 'method' | 'url'>,
  signal: AbortSignal,
  inject: () => PromiseLike<T>,
): Promise<T> {
  signal.throwIfAborted()
  return await aims.run({ method, url, signal, open: true }, async () => await inject())
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
  endWith(aim.signal, request, reply)
  const { url, method } = request.routeOptions
  if (url === undefined || (url === aim.url && [method].flat().includes(aim.method))) done()
  else reply.callNotFound()
}

/** The route sees its caller go away as it would on a socket, by `request.signal`, `onRequestAbort` or `close`. */
function endWith(
  signal: AbortSignal,
  { raw: request }: FastifyRequest,
  { raw: response }: FastifyReply,
): void {
  const leave = () => {
    Object.assign(request, { aborted: true })
    request.emit('close')
    response.destroy()
  }
  signal.addEventListener('abort', leave, { once: true })
  response.once('close', () => signal.removeEventListener('abort', leave))
}
