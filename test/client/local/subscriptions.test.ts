import { defineResource } from 'castellan'
import { localCaller } from 'castellan/client'
import { handle, memoryChanges } from 'castellan/fastify'
import { expect, test } from 'vitest'
import { server } from '../../server/harness.js'

const note = handle(defineResource({ uri: 'a://1', name: 'one' }), () => 'x')
const wanted = { resourceSubscriptions: ['a://1'] }

function made() {
  const changes = memoryChanges()
  const on = server({ changes, resources: [note], listen: { streamsPerPrincipal: 1 } })
  const caller = localCaller({ server: on, clientInfo: { name: 'local', version: '1' } })
  return { changes, on, caller }
}

test('SUB-3 SUB-9 G-79 a caller in this process follows changes until the server closes', async () => {
  const { changes, on, caller } = made()
  const kinds: string[] = []
  await caller.listen(wanted, {
    onEvent: async ({ kind }) => {
      kinds.push(kind)
      if (kind === 'acknowledged') await changes.resourceUpdated('a://1')
      else on.close()
    },
  })
  expect(kinds).toEqual(['acknowledged', 'resource_updated'])
})

test('SUB-14 what changes while a callback works is told once', async () => {
  const { changes, on, caller } = made()
  let told = 0
  await caller.listen(wanted, {
    onEvent: async ({ kind }) => {
      if (kind === 'acknowledged') for (let i = 0; i < 1000; i++) await changes.resourceUpdated('a://1')
      else if (++told === 1) setImmediate(() => on.close())
    },
  })
  expect(told).toBe(1)
})

test('SUB-14 B142 a caller in this process that leaves frees its place', async () => {
  const { caller } = made()
  for (let i = 0; i < 3; i++) {
    for await (const event of caller.subscribe(wanted)) {
      expect(event.kind).toBe('acknowledged')
      break
    }
  }
  const left = new AbortController()
  const listening = caller.listen(wanted, {
    signal: left.signal,
    onEvent: () => left.abort(new Error('left')),
  })
  await expect(listening).rejects.toThrow('left')
  await caller.close()
})
