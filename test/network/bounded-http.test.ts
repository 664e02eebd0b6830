import { once } from 'node:events'
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { createServer, type Socket } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { boundedHttp, type HttpLimits } from '../../src/network/bounded-http.js'
import { loopbackServer } from '../../src/testing/loopback-server.js'
import { freePort } from '../store/free-port.js'

const cleanUp: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of cleanUp.splice(0).reverse()) await close()
})

async function serverWith(listener: RequestListener): Promise<string> {
  const server = await loopbackServer(listener)
  cleanUp.push(() => server.close())
  return `${server.origin}/`
}

function sender(limits?: HttpLimits) {
  const http = boundedHttp(limits)
  cleanUp.push(() => http.close())
  return http
}

describe('one bounded exchange', () => {
  it('gives the whole answer, also after informational ones', async () => {
    const url = await serverWith((_request, response) => {
      response.writeEarlyHints({ link: '</style.css>' }, () => {
        response.writeHead(201, { 'x-name': 'value' })
        response.write('one ')
        setImmediate(() => response.end('two'))
      })
    })
    const outcome = await sender().send({ url })
    expect(outcome).toMatchObject({ ok: true, status: 201, headers: { 'x-name': 'value' } })
    expect(outcome.ok && outcome.body.toString()).toBe('one two')
  })

  it.each<[string, (request: IncomingMessage, response: ServerResponse) => void]>([
    ['before anything came', (request) => void request.socket.destroy()],
    [
      'in the middle of the body',
      (_request, response) => {
        response.writeHead(200, { 'content-length': 100 })
        response.write('half', () => response.socket?.destroy())
      },
    ],
  ])('tells a connection that ended %s as lost, and asks once', async (_when, listener) => {
    let requests = 0
    const url = await serverWith((request, response) => {
      requests += 1
      listener(request, response)
    })
    expect(await sender().send({ url, form: new URLSearchParams({ a: 'b' }) })).toEqual({
      ok: false,
      fault: 'lost',
    })
    expect(requests).toBe(1)
  })

  it('tells what was never sent', async () => {
    const http = sender()
    expect(await http.send({ url: `http://127.0.0.1:${await freePort()}/` })).toEqual({
      ok: false,
      fault: 'unreachable',
    })
    expect(await http.send({ url: 'no URL' })).toEqual({ ok: false, fault: 'unreachable' })
    const headers = { 'bad name': 'x' }
    expect(await http.send({ url: 'http://127.0.0.1/', headers })).toEqual({
      ok: false,
      fault: 'unreachable',
    })
  })

  it.each([
    ['before the answer', '' as const],
    ['in the middle of the body', 'half' as const],
  ])('ends at the signal and at the deadline of a request %s', async (_when, part) => {
    const url = await serverWith((_request, response) => {
      if (part !== '') response.writeHead(200).write(part)
    })
    const http = sender()
    expect(await http.send({ url, timeoutMilliseconds: 20 })).toEqual({ ok: false, fault: 'timeout' })
    expect(await http.send({ url, signal: AbortSignal.timeout(20) })).toEqual({ ok: false, fault: 'stopped' })
    expect(await http.send({ url, signal: AbortSignal.abort() })).toEqual({ ok: false, fault: 'stopped' })
  })

  it('never prolongs the limit of the sender', async () => {
    const url = await serverWith(() => undefined)
    const outcome = await sender({ timeoutMilliseconds: 20 }).send({ url, timeoutMilliseconds: 60_000 })
    expect(outcome).toEqual({ ok: false, fault: 'timeout' })
  })

  it('gives up while it waits for a connection, and sends nothing then', async () => {
    let requests = 0
    let release: (() => void) | undefined
    const url = await serverWith((_request, response) => {
      requests += 1
      release = () => response.end('{}')
    })
    const http = sender({ connections: 1 })
    const first = http.send({ url })
    expect(await http.send({ url, timeoutMilliseconds: 50 })).toEqual({ ok: false, fault: 'timeout' })
    while (release === undefined) await new Promise(setImmediate)
    release()
    expect(await first).toMatchObject({ ok: true })
    expect(requests).toBe(1)
  })

  it('ends what is under way when it is closed, and sends nothing after that', async () => {
    let arrive: (() => void) | undefined
    const arrived = new Promise<void>((resolve) => (arrive = resolve))
    const url = await serverWith(() => arrive?.())
    const http = boundedHttp()
    const waiting = http.send({ url })
    await arrived
    await http.close()
    expect(await waiting).toEqual({ ok: false, fault: 'lost' })
    expect(await http.send({ url })).toEqual({ ok: false, fault: 'unreachable' })
  })

  it('takes an answer that is not HTTP for a lost one', async () => {
    const server = createServer((socket: Socket) => void socket.end('SSH-2.0\r\n\r\n'))
    await once(server.listen(0, '127.0.0.1'), 'listening')
    cleanUp.push(async () => server.close())
    const { port } = server.address() as { port: number }
    expect(await sender().send({ url: `http://127.0.0.1:${port}/` })).toEqual({ ok: false, fault: 'lost' })
  })
})
