import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import type { FastifyRequest } from 'fastify'
import { expect, onTestFinished, test } from 'vitest'
import { routeTool } from 'castellan/fastify'
import { modern } from '../../wire.js'
import { exposed } from './exposed-app.js'

const get = routeTool({ method: 'GET', url: '/x', name: 'get', description: 'Gets' })
const post = routeTool({ method: 'POST', url: '/x', name: 'post', description: 'Posts' })

const watches: [string, (request: FastifyRequest) => Promise<unknown>][] = [
  ['close', ({ raw }) => once(raw, 'close')],
  ['signal', ({ signal }) => once(signal, 'abort')],
]

const cases = watches.flatMap(([name, watch]) => ['get', 'post'].map((tool) => [tool, name, watch] as const))

test.each(cases)('a caller of %s that goes away ends the request: %s', async (tool, _name, watch) => {
  let aborted = 0
  const { app } = await exposed({
    routes: (host) => {
      host.addHook('onRequestAbort', ({ url }, done) => {
        if (url === '/x') aborted++
        done()
      })
      host.route({
        method: ['GET', 'POST'],
        url: '/x',
        handler: async (request) => {
          host.server.emit('reached')
          await watch(request)
          host.server.emit('ended')
          return 'late'
        },
      })
    },
    tools: [get, post],
  })
  await app.listen({ port: 0, host: '127.0.0.1' })
  onTestFinished(() => app.close())
  const reached = once(app.server, 'reached')
  const ended = once(app.server, 'ended')
  const controller = new AbortController()
  const { body, headers } = modern('tools/call', { name: tool })
  const { port } = app.server.address() as AddressInfo
  const answer = fetch(`http://127.0.0.1:${port}/mcp`, {
    method: 'POST',
    headers,
    body: JSON.stringify(body),
    signal: controller.signal,
  })
  await reached
  controller.abort()
  await expect(answer).rejects.toThrow()
  await ended
  expect(aborted).toBe(1)
})
