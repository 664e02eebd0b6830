import type { IncomingMessage, Server } from 'node:http'
import type { Socket } from 'node:net'

const most = 32
/** A connection that is not silent sends its request within this time. */
const graceMilliseconds = 100

/**
 * Drops the oldest connections over which no request has come where there are too many, so that whoever opens a lot of them keeps
 * nobody else out. None is refused, since it may be the one that is waited for.
 */
export function dropSilentConnections(server: Server): void {
  const silent = new Set<Socket>()
  let timer: NodeJS.Timeout | undefined
  function drop(): void {
    timer = undefined
    const tooMany = [...silent].slice(0, Math.max(0, silent.size - most))
    for (const socket of tooMany) socket.destroy()
  }
  server.on('connection', (socket: Socket) => {
    silent.add(socket)
    socket.on('close', () => silent.delete(socket))
    if (silent.size > most) timer ??= setTimeout(drop, graceMilliseconds).unref()
  })
  server.on('request', ({ socket }: IncomingMessage) => silent.delete(socket))
}
