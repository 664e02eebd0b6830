import { connect, type IncomingHttpHeaders } from 'node:http2'
import type { AddressInfo } from 'node:net'
import mcp from 'castellan/fastify'
import Fastify from 'fastify'
import { describe, expect, onTestFinished, test } from 'vitest'
import { modern } from '../wire.js'
import { basic } from '../fastify/guarded.js'

const open = { path: '/mcp', name: 'n', version: '1', auth: 'none', tools: [basic] } as const

describe('what a hook of the host throws', () => {
  test.each([
    ['text', 'no', 500],
    ['a number', 5, 500],
    ['an object with a status', { statusCode: 403 }, 403],
    ['an object with a status that is none', { statusCode: 200 }, 500],
    ['nothing', undefined, 500],
    ['an error with a status', Object.assign(new Error('no'), { statusCode: 418 }), 418],
  ])('%s is never a success', async (_what, thrown, status) => {
    const app = Fastify()
    onTestFinished(() => app.close())
    app.addHook('preHandler', () => Promise.reject(thrown as Error))
    await app.register(mcp, open)
    const { body, headers } = modern('tools/list')
    const answer = await app.inject({ method: 'POST', url: '/mcp', headers, payload: JSON.stringify(body) })
    expect(answer.statusCode).toBe(status)
    expect(answer.body).not.toContain('tools')
  })
})

describe('an open server over HTTP/2', () => {
  async function status(hosts: Record<string, string>): Promise<unknown> {
    const app = Fastify({ http2: true })
    await app.register(mcp as never, open)
    await app.listen({ port: 0, host: '127.0.0.1' })
    const session = connect(`http://127.0.0.1:${(app.server.address() as AddressInfo).port}`)
    onTestFinished(async () => {
      session.destroy()
      await app.close()
    })
    const { body, headers } = modern('tools/list')
    const request = session.request({ ...headers, ...hosts, ':method': 'POST', ':path': '/mcp' })
    request.resume().end(JSON.stringify(body))
    const answer = await new Promise<IncomingHttpHeaders & { ':status'?: number }>((resolve, reject) => {
      request.once('response', resolve).once('error', reject)
    })
    return answer[':status']
  }

  test('A7 B147 answers loopback names', async () => {
    expect(await status({ ':authority': 'localhost:1' })).toBe(200)
    expect(await status({ ':authority': '[::1]:1' })).toBe(200)
  })

  test('A7 B147 answers no other name, whatever else the request calls it', async () => {
    expect(await status({ ':authority': 'evil.example' })).toBe(403)
    expect(await status({ ':authority': 'evil.example', host: 'localhost' })).toBe(403)
  })
})
