import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { abortable } from '../../network/abortable.js'
import { joinSignals } from '../../network/joined-signal.js'
import { ConsentError } from '../errors.js'
import { dropSilentConnections } from './silent-connections.js'

/** Waits on the machine of the user for the browser to come back. */
export interface LoopbackListener {
  /** The redirect URI with the port it listens on. */
  readonly redirectUri: string
  /** The path with its query at which the browser came, once. Rejects with `ConsentError` (`expired`) after 5 minutes. */
  callback(signal: AbortSignal): Promise<string>
  /** Stops listening and cuts connections. Idempotent. */
  close(): Promise<void>
}

const limitMilliseconds = 5 * 60_000
const page =
  '<!doctype html><meta charset="utf-8"><title>Signed in</title>' +
  '<p>You can close this window and return to the application.</p>'
const headers = {
  'content-security-policy': "default-src 'none'",
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  connection: 'close',
}

/**
 * Listens for one answer at a redirect URI on a loopback address, on any free port where it names none (RFC 8252 §7.3).
 *
 * Only a GET of exactly its path, under its own name, with a state that `isOurs`, is the answer; everything else is refused and
 * ends nothing. The page that answers says nothing of what came.
 */
export async function loopbackListener(
  redirectUri: string,
  isOurs: (target: string) => boolean,
): Promise<LoopbackListener> {
  const url = new URL(redirectUri)
  let arrive: (target: string) => void = () => undefined
  const arrival = new Promise<string>((resolve) => (arrive = resolve))
  const server = createServer({ maxHeaderSize: 16_384, connectionsCheckingInterval: 1_000 })
  server.headersTimeout = server.requestTimeout = 5_000
  dropSilentConnections(server)
  await listen(server, url)
  // A connection that could not be accepted is one that did not come.
  server.on('error', () => undefined)
  url.port = String((server.address() as AddressInfo).port)
  let isTaken = false
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    const target = request.url ?? ''
    const status = isTaken ? 410 : refusal(request, url, isOurs)
    if (status !== undefined) return void response.writeHead(status, headers).end()
    isTaken = true
    response.writeHead(200, { ...headers, 'content-type': 'text/html; charset=utf-8' })
    response.end(page, () => arrive(target))
  })
  return {
    redirectUri: url.href,
    async callback(signal) {
      const limited = joinSignals([signal], limitMilliseconds)
      try {
        return await abortable(arrival, limited.signal)
      } catch (error) {
        if (signal.aborted || !limited.signal.aborted) throw error
        throw new ConsentError('expired', 'The consent took too long')
      } finally {
        limited.release()
      }
    },
    async close() {
      if (!server.listening) return
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}

/** `localhost` is listened to at its IPv4 address only: nothing outside the machine can ever connect. */
async function listen(server: Server, { hostname, port }: URL): Promise<void> {
  const host = hostname === 'localhost' ? '127.0.0.1' : hostname.replace(/^\[|\]$/g, '')
  try {
    await once(server.listen({ host, port: Number(port) }), 'listening')
  } catch {
    throw new ConsentError(
      'failed',
      `The answer of the browser cannot be waited for at ${host}:${port || 'any port'}`,
    )
  }
}

/** The status for what is not the answer. A wrong `Host` is a name that was pointed here from outside (DNS rebinding). */
function refusal(
  { method, headers: { host }, url: target = '' }: IncomingMessage,
  url: URL,
  isOurs: (target: string) => boolean,
): number | undefined {
  if (host !== url.host) return 421
  if (target.split('?')[0] !== url.pathname) return 404
  if (method !== 'GET') return 405
  return isOurs(target) ? undefined : 400
}
