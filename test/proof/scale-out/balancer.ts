import { once } from 'node:events'
import { createServer, request, type IncomingMessage, type ServerResponse } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { pipeline } from 'node:stream'

export interface Balancer extends AsyncDisposable {
  /** Requests answered, or begun to be, by each port. */
  readonly taken: ReadonlyMap<number, number>
}

/**
 * A plain round-robin reverse proxy: every request goes to the next port. One that takes no connection has not got the
 * request, so the next one gets it; an answer that breaks off breaks off for the client as well.
 */
export async function startBalancer(port: number, ports: readonly number[]): Promise<Balancer> {
  const taken = new Map<number, number>()
  let turn = 0

  function forward(incoming: IncomingMessage, body: Buffer, outgoing: ServerResponse, tries: number): void {
    const to = ports[turn++ % ports.length]!
    const { method, url: path, headers } = incoming
    const own = { host: '127.0.0.1', port: to, agent: false }
    const onward = request({ ...own, method, path, headers: { ...headers, connection: 'close' } })
    const leave = () => onward.destroy()
    outgoing.once('close', leave)
    onward.on('response', (answer) => {
      taken.set(to, (taken.get(to) ?? 0) + 1)
      delete answer.headers.connection
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
      outgoing.flushHeaders()
      pipeline(answer, outgoing, () => undefined)
    })
    onward.on('error', (error: NodeJS.ErrnoException) => {
      outgoing.off('close', leave)
      if (error.code === 'ECONNREFUSED' && tries > 1) forward(incoming, body, outgoing, tries - 1)
      else outgoing.destroy()
    })
    onward.end(body)
  }

  const server = createServer((incoming, outgoing) => {
    buffer(incoming).then(
      (body) => forward(incoming, body, outgoing, ports.length),
      () => outgoing.destroy(),
    )
  })
  server.keepAliveTimeout = 0
  await once(server.listen(port, '127.0.0.1'), 'listening')
  return {
    taken,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await once(server.close(), 'close')
    },
  }
}
