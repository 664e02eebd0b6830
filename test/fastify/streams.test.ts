import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { defineTool } from 'castellan'
import { handle } from 'castellan/fastify'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { events, meta, modern, post, rawPost } from '../wire.js'
import { listen, type RunningServer } from './server.js'

const steps = z.object({ steps: z.array(z.number()) })
let release: () => void = () => undefined
let aborted: Promise<unknown> = Promise.resolve()
let late: Promise<void> = Promise.resolve()
let sent = 0

const progress = handle(
  defineTool({ name: 'progress', description: 'Reports steps', input: steps }),
  async ({ steps: values }, { progress: report }) => {
    for (const value of values) await report({ progress: value, total: 10, message: `at ${value}` })
    late = sleep(5).then(() => report({ progress: 1e9 }))
    return 'done'
  },
)

const waiting = handle(
  defineTool({ name: 'waiting', description: 'Waits for its signal' }),
  (_input, { signal }) => {
    aborted = new Promise((resolve) => signal.addEventListener('abort', () => resolve(signal.reason)))
    release()
    return aborted.then(() => 'aborted')
  },
)

const flood = handle(
  defineTool({ name: 'flood', description: 'Reports without waiting' }),
  async (_input, { progress: report, signal }) => {
    for (sent = 0; sent < 200_000 && !signal.aborted; sent++) {
      void report({ progress: sent + 1, message: 'x'.repeat(100) })
      if (sent % 5_000 === 0) await sleep(0)
    }
    return 'done'
  },
)

let server: RunningServer
beforeAll(async () => {
  server = await listen({ tools: [progress, waiting, flood] })
})
afterAll(() => server.app.close())

const callProgress = (values: number[], token?: unknown, headers?: Record<string, string>) =>
  post(
    server.url,
    modern(
      'tools/call',
      {
        name: 'progress',
        arguments: { steps: values },
        _meta: meta(token === undefined ? {} : { progressToken: token }),
      },
      headers === undefined ? {} : { headers },
    ),
  )

describe('progress', () => {
  test.each(['abc', 'p-1', '', 0, 7])('PROG-2 B036 B037 token %j is echoed with its type', async (token) => {
    const answer = await callProgress([1, 2.5, 4], token)
    expect(answer.headers.get('content-type')).toBe('text/event-stream')
    expect(answer.headers.get('x-accel-buffering')).toBe('no')
    expect(answer.headers.get('cache-control')).toContain('no-transform')
    const messages = events(answer.text)
    expect(messages.slice(0, -1).map(({ params }) => params)).toEqual(
      [1, 2.5, 4].map((value) => ({
        progressToken: token,
        progress: value,
        total: 10,
        message: `at ${value}`,
      })),
    )
    expect(messages.at(-1)).toMatchObject({ id: 1, result: { resultType: 'complete' } })
    expect(answer.text).not.toMatch(/^(id|retry):/m)
  })

  test('PROG-6 TRAP-15 without a token there is none and the answer is JSON', async () => {
    const { json } = await callProgress([1, 2])
    expect(json.result.content[0].text).toBe('done')
  })

  test('PROG-3 B038 only growing values are sent, and none after the answer', async () => {
    const messages = events((await callProgress([1, 1, 0.5, 2], 't')).text)
    expect(messages.slice(0, -1).map(({ params }) => params.progress)).toEqual([1, 2])
    await late
  })

  test('a value that is not finite is the handler’s fault', async () => {
    const { text } = await callProgress([1], 't')
    expect(text).not.toContain('-32603')
    const bad = modern('tools/call', {
      name: 'progress',
      arguments: { steps: ['x'] },
      _meta: meta({ progressToken: 1 }),
    })
    expect((await post(server.url, bad)).json.result.isError).toBe(true)
  })

  test('B017 a client that takes JSON only gets JSON', async () => {
    expect((await callProgress([1], 't', { accept: 'application/json' })).json.result).toBeDefined()
    expect((await callProgress([1], 't', { accept: 'text/event-stream;q=0, */*' })).json.result).toBeDefined()
  })

  test('B017 a client that takes streams only gets a stream, errors included', async () => {
    const messages = events((await callProgress([], 't', { accept: 'text/event-stream' })).text)
    expect(messages).toHaveLength(1)
    const refused = await callProgress([], 't', { accept: 'text/html' })
    expect(refused.status).toBe(406)
  })

  test('B010 TRAP-11 parallel calls with one token and one id do not mix', async () => {
    const answers = await Promise.all([[1], [2], [3]].map((values) => callProgress(values, 'same')))
    expect(answers.map(({ text }) => events(text)[0].params.progress)).toEqual([1, 2, 3])
  })
})

describe('disconnects', () => {
  test('HTTP-17 B032 TRAP-16 TRAP-17 closing the connection aborts the handler', async () => {
    const { body, headers } = modern('tools/call', { name: 'waiting' })
    const started = new Promise<void>((resolve) => (release = resolve))
    const socket = connect(server.port, '127.0.0.1')
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
    socket.write(rawPost('/mcp', lines, JSON.stringify(body)))
    await started
    socket.destroy()
    expect(await aborted).toMatchObject({ name: 'AbortError' })
  })

  test('B141 a reader that never reads costs bounded memory', async () => {
    const { body, headers } = modern('tools/call', { name: 'flood', _meta: meta({ progressToken: 1 }) })
    const socket = connect(server.port, '127.0.0.1')
    socket.pause()
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
    const before = process.memoryUsage().heapUsed
    socket.write(rawPost('/mcp', lines, JSON.stringify(body)))
    while (sent < 200_000) await sleep(10)
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(64 * 1024 * 1024)
    socket.destroy()
  })
})

test('B143 closing the app lets running calls finish', async () => {
  let begin: () => void = () => undefined
  const begun = new Promise<void>((resolve) => (begin = resolve))
  const slow = handle(defineTool({ name: 'slow', description: 'Takes a moment' }), async () => {
    begin()
    return sleep(50, 'finished')
  })
  const closing = await listen({ tools: [slow] })
  const answer = post(closing.url, modern('tools/call', { name: 'slow' }))
  await begun
  await closing.app.close()
  expect((await answer).json.result.content[0].text).toBe('finished')
})
