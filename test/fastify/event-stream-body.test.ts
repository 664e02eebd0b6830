import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { EventStreamBody } from '../../src/fastify/event-stream-body.js'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
})
afterEach(() => {
  vi.useRealTimers()
})

function collect(body: EventStreamBody): { text: string } {
  const collected = { text: '' }
  body.on('data', (chunk: Buffer) => (collected.text += chunk.toString()))
  return collected
}

test('HTTP-15 B145 an idle stream carries comments, which end with it', async () => {
  const body = new EventStreamBody()
  const collected = collect(body)
  await body.notify('{"a":1}')
  await vi.advanceTimersByTimeAsync(31_000)
  await vi.waitFor(() => expect(collected.text).toBe('event: message\ndata: {"a":1}\n\n:\n\n:\n\n'))
  body.finish('{"b":2}')
  await vi.waitFor(() => expect(collected.text).toContain('{"b":2}'))
  expect(vi.getTimerCount()).toBe(0)
})

test('B142 a stream that is destroyed leaves no timer and nobody waiting', async () => {
  const body = new EventStreamBody()
  const waiting = body.notify('x'.repeat(100_000))
  body.destroy()
  await waiting
  expect(vi.getTimerCount()).toBe(0)
  await body.notify('more')
  body.finish('late')
})
