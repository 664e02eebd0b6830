import type { FastifyReply, FastifyRequest } from 'fastify'
import { take } from '../in-process-request.js'

/**
 * The first hook of every request: one made in process for a route reaches this route or none, and ends with its signal.
 * A value in a path may spell another route, such as `/invoices/export` beside `/invoices/:id`, which nobody exposed; that is
 * a 404.
 */
export function keepToRoute(request: FastifyRequest, reply: FastifyReply, done: () => void): void {
  const kept = take(request.raw, 'route')
  if (kept === undefined) {
    done()
    return
  }
  endWith(kept.signal, request, reply)
  const { url, method } = request.routeOptions
  if (url === undefined || (url === kept.url && [method].flat().includes(kept.method))) done()
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
