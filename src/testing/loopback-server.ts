import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A plain HTTP server on a free port of 127.0.0.1. */
export interface LoopbackServer {
  /** `http://127.0.0.1:<port>` */
  readonly origin: string
  /** Drops all connections and stops listening. */
  close(): Promise<void>
}

/** Starts listening and hands every request to `listener`. */
export async function loopbackServer(listener: RequestListener): Promise<LoopbackServer> {
  const server = createServer(listener)
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      if (!server.listening) return
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}
