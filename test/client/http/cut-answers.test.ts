import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Channel } from '../../../src/client/channel.js'
import { httpChannel } from '../../../src/client/http/http-channel.js'
import {
  chunk,
  event,
  good,
  jsonHead,
  lastChunk,
  progress,
  result,
  sized,
  stream,
  streamHead,
} from './answers.js'
import { exchanges } from './exchanges.js'
import { ask, outcome } from './outcome.js'
import { scriptedServer, type ScriptedServer } from './scripted-server.js'

interface Form {
  readonly name: string
  readonly text: (id: string) => string
  /** How a request ends when only the first `length` characters arrive. */
  readonly ends: (text: string, length: number) => string
}

const forms: readonly Form[] = [
  {
    name: 'JSON with a length',
    text: (id) => sized(result(id)),
    ends: (text, length) => (length < text.length ? 'unknown: lost' : 'result'),
  },
  {
    name: 'JSON in chunks',
    text: (id) => jsonHead + chunk(result(id).slice(0, 20)) + chunk(result(id).slice(20)) + lastChunk,
    ends: (text, length) => (length < text.length ? 'unknown: lost' : 'result'),
  },
  {
    name: 'an event stream',
    text: (id) => stream(event(progress(1)), event(progress(2)), event(result(id))),
    ends(text, length) {
      if (length < streamHead.length) return 'unknown: lost'
      return length < text.lastIndexOf('\n\n') + 2 ? 'unknown: cut' : 'result'
    },
  },
  {
    name: 'an event stream without chunks',
    text: (id) => streamHead.replace(/transfer.*\r\n/, '') + event(progress(1)) + event(result(id)),
    ends(text, length) {
      if (length < text.indexOf('\r\n\r\n') + 4) return 'unknown: lost'
      return length < text.length ? 'unknown: cut' : 'result'
    },
  },
]

describe.each(exchanges)('an answer cut after every byte, over $name', ({ name, make }) => {
  let server: ScriptedServer
  let channel: Channel
  /** The slower exchange meets fewer cuts. */
  const stride = name === 'undici' ? 1 : 7

  beforeAll(async () => {
    server = await scriptedServer(good)
    channel = httpChannel({ exchange: make(server.endpoint) })
  })

  afterAll(async () => {
    await channel.close()
    await server.close()
  })

  it.each(forms)('$name (G-102, HTTP-18)', async ({ text, ends }) => {
    for (let length = 0; ; length += stride) {
      const request = ask({ id: 'request-id' })
      const whole = text(request.id)
      if (length > whole.length) break
      server.script(async (exchange) => {
        if (length > 0) await exchange.write(whole.slice(0, length))
        exchange.end()
      })
      expect(await outcome(channel, request), `after ${length} of ${whole.length}`).toBe(ends(whole, length))
    }
    server.script(good)
    expect(await outcome(channel)).toBe('result')
  })

  it.each(forms)('$name, in two pieces at every place (B114)', async ({ text, ends }) => {
    for (let length = 1; ; length += stride) {
      const request = ask({ id: 'request-id' })
      const whole = text(request.id)
      if (length >= whole.length) break
      server.script(async (exchange) => {
        await exchange.write(whole.slice(0, length))
        await exchange.write(whole.slice(length))
        exchange.end()
      })
      expect(await outcome(channel, request), `at ${length}`).toBe(ends(whole, whole.length))
    }
  })
})
