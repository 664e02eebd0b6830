import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { readChange, topicOf, writeChange, type Change } from '../../../src/server/changes/change.js'
import { memoryChanges } from '../../../src/server/changes/memory-changes.js'
import { redisChanges } from '../../../src/server/changes/redis-changes.js'

const identities = fc.array(fc.record({ issuer: fc.string(), subject: fc.string() }), { maxLength: 5 })
const changed = fc.oneof(
  fc.record({ kind: fc.constantFrom('tools' as const, 'prompts' as const, 'resources' as const) }),
  fc.record({ kind: fc.constant('resource' as const), uri: fc.string() }),
  fc.record({ kind: fc.constant('state' as const), filter: fc.string(), id: fc.string() }),
)

test('SUB-14 what one instance writes another reads', () => {
  fc.assert(
    fc.property(changed, fc.option(identities, { nil: undefined }), (what, to) => {
      const change: Change = to === undefined ? what : { ...what, to }
      expect(readChange(writeChange(change))).toEqual(change)
    }),
  )
})

test('SUB-14 anything may be on a channel of Redis, and only changes are read', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
      const change = readChange(text)
      if (change !== undefined) expect(typeof topicOf(change)).toBe('string')
    }),
  )
})

test.each([
  ['an unknown kind', '{"kind":"tasks"}'],
  ['no URI', '{"kind":"resource"}'],
  ['a URI that is no text', '{"kind":"resource","uri":["a"]}'],
  ['an audience that is no list', '{"kind":"tools","to":"everybody"}'],
  ['an audience without subjects', '{"kind":"tools","to":[{"issuer":"a"}]}'],
  ['too much', JSON.stringify({ kind: 'resource', uri: 'x'.repeat(70_000) })],
])('SUB-14 %s on the channel is no change', (_what, text) => {
  expect(readChange(text)).toBeUndefined()
})

describe('a bus', () => {
  test('SUB-14 only what names somebody goes along with a change', async () => {
    const heard: Change[] = []
    const changes = memoryChanges()
    const leave = await changes.follow({ hear: (change) => heard.push(change), lost: () => undefined })
    const principal = { issuer: 'i', subject: 's', scopes: ['a'], expiresAt: 1, claims: { email: 'secret' } }
    await changes.toolsChanged({ to: principal })
    leave()
    await changes.toolsChanged()
    expect(heard).toEqual([{ kind: 'tools', to: [{ issuer: 'i', subject: 's' }] }])
  })

  test.each([
    ['`to` that is a name', () => memoryChanges().toolsChanged({ to: 'alice' as never })],
    ['`to` that is null', () => memoryChanges().toolsChanged({ to: null as never })],
    ['a URI object', () => memoryChanges().resourceUpdated(new URL('a://b') as never)],
    ['no id', () => memoryChanges().stateChanged('taskIds', undefined as never)],
  ])('SUB-14 %s is a slip, never a change for everybody', (_what, slip) => {
    expect(slip).toThrow(TypeError)
  })

  test('SUB-14 a change that is too long for the bus rejects, and nobody has to wait for it', async () => {
    const to = Array.from({ length: 2_000 }, () => ({
      issuer: 'https://login.example.com',
      subject: 'someone',
    }))
    const client = { publish: () => Promise.resolve(), duplicate: () => ({}) as never }
    await expect(redisChanges(client).toolsChanged({ to })).rejects.toThrow(RangeError)
    void redisChanges(client).toolsChanged({ to })
  })

  test.each([
    [() => redisChanges({} as never)],
    [() => redisChanges({ duplicate() {} } as never, { channel: '' })],
  ])('options of the Redis bus are checked at construction', (make) => {
    expect(make).toThrow(expect.objectContaining({ code: 'ERR_OPTION' }))
  })
})
