import { createServer, request, type IncomingMessage, type ServerResponse } from 'node:http'
import { pipeline } from 'node:stream'

export interface BearerProxy {
  close(): Promise<void>
}

/** Adds a bearer token to every request. Host and Origin pass unchanged, so the server's own checks still see them. */
export async function bearerProxy(port: number, target: URL, token: string): Promise<BearerProxy> {
  const server = createServer((incoming, outgoing) => forward(target, token, incoming, outgoing))
  await new Promise<void>((resolve) => server.listen(port, resolve))
  return {
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

function forward(target: URL, token: string, incoming: IncomingMessage, outgoing: ServerResponse): void {
  const upstream = request(
    {
      host: target.hostname,
      port: target.port,
      method: incoming.method,
      path: incoming.url,
      headers: { ...incoming.headers, authorization: `Bearer ${token}` },
    },
    (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.rawHeaders)
      pipeline(answer, outgoing, () => undefined)
    },
  )
  upstream.on('error', () => outgoing.destroy())
  outgoing.on('close', () => upstream.destroy())
  incoming.pipe(upstream)
}
