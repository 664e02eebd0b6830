import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { Channel } from '../../../src/client/channel.js'
import { httpChannel } from '../../../src/client/http/http-channel.js'
import { good } from './answers.js'
import { connectionFaults } from './connection-faults.js'
import { envelopeFaults } from './envelope-faults.js'
import { exchanges } from './exchanges.js'
import type { Fault } from './fault.js'
import { jsonFaults } from './json-faults.js'
import { ask, outcome } from './outcome.js'
import { held, settled } from './resources.js'
import { scriptedServer, type ScriptedServer } from './scripted-server.js'
import { statusFaults } from './status-faults.js'
import { eventFaults, orderFaults, streamFaults } from './stream-faults.js'

const table: readonly (readonly [string, readonly Fault[]])[] = [
  ['connection', connectionFaults],
  ['JSON', jsonFaults],
  ['envelope', envelopeFaults],
  ['status', statusFaults],
  ['stream', streamFaults],
  ['order', orderFaults],
  ['event', eventFaults],
]
const faults = table.flatMap(([kind, rows]) => rows.map((row) => ({ ...row, name: `${kind}: ${row.name}` })))
const limits = { answerBytes: 4_096, eventSize: 1_024, depth: 16 }

describe.each(exchanges)('every fault over $name', ({ make }) => {
  let server: ScriptedServer
  let channel: Channel
  let heldBefore: string[]
  const unhandled: unknown[] = []
  const onUnhandled = (reason: unknown): void => void unhandled.push(reason)

  beforeAll(async () => {
    heldBefore = held()
    process.on('unhandledRejection', onUnhandled)
    server = await scriptedServer(good)
    channel = httpChannel({ exchange: make(server.endpoint), limits })
  })

  afterEach(async () => {
    server.script(good)
    expect(await outcome(channel), 'usable afterwards').toBe('result')
  })

  afterAll(async () => {
    await channel.close()
    await server.close()
    await settled(heldBefore)
    expect(server.open()).toBe(0)
    process.off('unhandledRejection', onUnhandled)
    expect(unhandled).toEqual([])
  })

  it.each(faults)('$name: $ends', async ({ script, ends, notified }) => {
    server.script(script)
    const before = server.requests.length
    const seen: unknown[] = []
    const request = ask({ onNotification: ({ params }) => void seen.push(params['progress']) })
    expect(await outcome(channel, request)).toBe(ends)
    expect(seen).toEqual(notified)
    expect(server.requests.length - before, 'sent once').toBe(1)
  })
})
