import { once } from 'node:events'
import { createServer, type AddressInfo, type Socket } from 'node:net'

/** One request as it came, and the bare connection to answer it on. */
export interface Exchange {
  readonly id: string
  readonly head: string
  readonly body: any
  /** Resolves when the bytes are handed to the system, so that the next write is a piece of its own. */
  write(bytes: string | Uint8Array): Promise<void>
  /** Ends the connection in order: what was written arrives. */
  end(): void
  /** Breaks it: the other side meets ECONNRESET. */
  reset(): void
  /** Resolves when the other side is gone. */
  readonly gone: Promise<unknown>
}

export type Script = (exchange: Exchange) => unknown

/** A server that answers byte for byte what a test says. */
export interface ScriptedServer {
  readonly endpoint: string
  /** Requests that came in whole. */
  readonly requests: readonly Exchange[]
  /** Connections that stand. */
  open(): number
  /** How the next requests are answered. */
  script(script: Script): void
  close(): Promise<void>
}

export async function scriptedServer(first: Script): Promise<ScriptedServer> {
  let script = first
  const requests: Exchange[] = []
  const sockets = new Set<Socket>()
  const server = createServer({ noDelay: true }, (socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket)).on('error', () => undefined)
    readRequests(socket, (exchange) => {
      requests.push(exchange)
      void Promise.resolve(script(exchange)).catch(() => socket.destroy())
    })
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    requests,
    open: () => sockets.size,
    script: (next) => (script = next),
    async close() {
      const closed = once(server, 'close')
      server.close()
      for (const socket of sockets) socket.destroy()
      await closed
    },
  }
}

function readRequests(socket: Socket, onRequest: (exchange: Exchange) => void): void {
  let received = ''
  const gone = new Promise((resolve) => socket.once('close', resolve))
  socket.on('data', (chunk) => {
    received += chunk.toString('latin1')
    for (;;) {
      const end = received.indexOf('\r\n\r\n')
      if (end === -1) return
      const head = received.slice(0, end)
      const length = Number(/^content-length: (\d+)$/im.exec(head)?.[1])
      if (received.length < end + 4 + length) return
      const body = JSON.parse(Buffer.from(received.slice(end + 4, end + 4 + length), 'latin1').toString())
      received = received.slice(end + 4 + length)
      onRequest(exchange(socket, gone, head, body))
    }
  })
}

function exchange(socket: Socket, gone: Promise<unknown>, head: string, body: any): Exchange {
  return {
    id: body.id,
    head,
    body,
    write: (bytes) =>
      new Promise((resolve) => {
        socket.write(bytes, () => setImmediate(resolve))
      }),
    end: () => socket.end(),
    reset: () => socket.resetAndDestroy(),
    gone,
  }
}
