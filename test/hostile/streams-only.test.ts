import { afterAll, beforeAll, expect, test } from 'vitest'
import { listenGuarded, type GuardedServer } from '../fastify/guarded.js'
import { events, modern, post } from '../wire.js'

let server: GuardedServer
beforeAll(async () => {
  server = await listenGuarded({}, (app) => {
    app.addHook('onSend', async (_request, _reply, payload) => payload)
  })
})
afterAll(() => server.stop())

const accept = 'text/event-stream'

test('TRAP-1 B017 a caller that takes streams only is told a missing scope by status, not on a stream', async () => {
  const answer = await post(
    server.url,
    modern('tools/list', {}, { headers: { accept, ...(await server.bearer([])) } }),
  )
  expect({ status: answer.status, type: answer.headers.get('content-type'), text: answer.text }).toEqual({
    status: 403,
    type: null,
    text: '',
  })
  expect(answer.headers.get('www-authenticate')).toContain('error="insufficient_scope"')
})

test('B012 B017 its notifications are accepted with an empty body', async () => {
  const { authorization } = await server.bearer()
  const answer = await post(server.url, {
    body: { jsonrpc: '2.0', method: 'notifications/initialized' },
    headers: { 'content-type': 'application/json', accept, authorization },
  })
  expect(answer).toMatchObject({ status: 202, text: '' })
  expect(answer.headers.get('content-type')).toBeNull()
})

test('B017 its results and the errors of calls come as one event', async () => {
  const headers = { accept, ...(await server.bearer()) }
  for (const [name, member] of [
    ['basic', 'result'],
    ['nope', 'error'],
  ] as const) {
    const answer = await post(server.url, modern('tools/call', { name }, { headers }))
    expect(answer.headers.get('content-type')).toBe('text/event-stream')
    expect(events(answer.text)).toEqual([expect.objectContaining({ id: 1, [member]: expect.anything() })])
  }
})
