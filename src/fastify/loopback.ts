import { Socket } from 'node:net'
import type { FastifyRequest } from 'fastify'

const loopbackAddress = /^(?:127(?:\.\d{1,3}){3}|::1|::ffff:127(?:\.\d{1,3}){3})$/
const loopbackHost = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d{1,5})?$/i

/**
 * Whether a request arrived on a loopback address and names a loopback host, so that no web page can have led a
 * browser here by a name of its own (MCP 2026-07-28, Streamable HTTP, "Security Warning").
 */
export function isLocal({ raw }: FastifyRequest): boolean {
  const { ':authority': authority, host = '' } = raw.headers
  return arrivedOnLoopback(raw.socket) && loopbackHost.test(typeof authority === 'string' ? authority : host)
}

/** An injected request never crossed a socket. */
function arrivedOnLoopback(socket: Socket): boolean {
  if (!(socket instanceof Socket)) return true
  return loopbackAddress.test(socket.localAddress ?? '')
}
