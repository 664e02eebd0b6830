import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import type { AddressInfo } from 'node:net'

/** A way to a server on this machine that can be shut, so that nobody listens, and opened again on the same port. */
export interface Gate {
  readonly origin: string
  shut(): Promise<void>
  open(): Promise<void>
}

/** Forwards connections on a free loopback port to the server at `target`. */
export async function gateTo(target: string): Promise<Gate> {
  const { hostname, port } = new URL(target)
  const sockets = new Set<Socket>()
  const server = createServer((near) => {
    const far = connect(Number(port), hostname)
    for (const [socket, other] of [[near, far] as const, [far, near] as const]) {
      sockets.add(socket)
      socket.on('error', () => undefined)
      socket.on('close', () => {
        sockets.delete(socket)
        other.destroy()
      })
      socket.pipe(other)
    }
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port: ownPort } = server.address() as AddressInfo
  return {
    origin: `http://127.0.0.1:${ownPort}`,
    async shut() {
      if (!server.listening) return
      const closed = once(server, 'close')
      server.close()
      for (const socket of sockets) socket.destroy()
      await closed
    },
    async open() {
      await once(server.listen(ownPort, '127.0.0.1'), 'listening')
    },
  }
}
