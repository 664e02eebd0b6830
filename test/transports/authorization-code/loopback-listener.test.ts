import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { once } from 'node:events'
import type { Server } from 'node:http'
import { connect, type Socket } from 'node:net'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import {
  loopbackListener,
  type LoopbackListener,
} from '../../../src/transports/authorization-code/loopback-listener.js'

let listener: LoopbackListener
let sockets: Socket[]
beforeEach(async () => {
  sockets = []
  listener = await loopbackListener('http://127.0.0.1/callback', (target) => target.includes('state=ours'))
})
afterEach(async () => {
  for (const socket of sockets) socket.destroy()
  await listener.close()
})

const answer = () => `${listener.redirectUri}?code=c&state=ours`

/** A connection over which `bytes` come and nothing else. */
async function connection(bytes = ''): Promise<Socket> {
  const { hostname, port } = new URL(listener.redirectUri)
  const socket = connect(Number(port), hostname)
  sockets.push(socket)
  socket.resume().on('error', () => undefined)
  await once(socket, 'connect')
  if (bytes !== '') socket.write(bytes)
  return socket
}

/** A hundred at a time, since the system lets no more than some hundreds wait. */
async function connections(count: number, bytes?: string): Promise<void> {
  for (let open = 0; open < count; open += 100)
    await Promise.all(Array.from({ length: 100 }, () => connection(bytes)))
}

async function isServed(): Promise<void> {
  const callback = listener.callback(new AbortController().signal)
  const page = await fetch(answer(), { signal: AbortSignal.timeout(4_000) })
  expect(page.status).toBe(200)
  expect(await callback).toBe('/callback?code=c&state=ours')
}

describe('B95 the listener takes the answer of the browser', () => {
  test.each([
    ['silent connections', ''],
    ['unfinished requests', 'GET /callback?code=evil HTTP/1.1\r\nhost: '],
  ])('behind 1,000 %s, and drops those', async (_, bytes) => {
    await connections(1_000, bytes)
    await isServed()
    const oldest = sockets.slice(0, -32)
    for (const socket of oldest) if (!socket.closed) await once(socket, 'close')
    expect(sockets.slice(-32).filter((socket) => socket.closed)).toEqual([])
  })

  test('amid 1,000 silent connections that come all the time', async () => {
    const flood = [connections(500), isServed(), connections(500)]
    await Promise.all(flood)
  })

  test('on a connection that was opened before', async () => {
    const early = await connection()
    await Promise.all(Array.from({ length: 20 }, () => connection()))
    early.write(
      `GET /callback?code=c&state=ours HTTP/1.1\r\nhost: ${new URL(listener.redirectUri).host}\r\n\r\n`,
    )
    expect(await listener.callback(new AbortController().signal)).toBe('/callback?code=c&state=ours')
  })

  test('after an error of the server, which ends no process', async () => {
    let server: Server | undefined
    const note = (message: unknown) => (server = (message as { server: Server }).server)
    subscribe('http.server.request.start', note)
    expect((await fetch(new URL('/favicon.ico', listener.redirectUri))).status).toBe(404)
    unsubscribe('http.server.request.start', note)
    server!.emit('error', new Error('too many open files'))
    await isServed()
  })
})

test('B95 a connection without a request is cut in time', { timeout: 15_000 }, async () => {
  const silent = await connection('GET /callback HTTP/1.1\r\n')
  await once(silent, 'close')
})
