import { memoryChanges, type Changes } from 'castellan/fastify'
import { describe, expect, test, vi } from 'vitest'
import type { Extension } from '../../../src/contract/extension.js'
import { principal, server } from '../harness.js'
import { open, refused, send } from './open-stream.js'

const idKey = 'io.modelcontextprotocol/subscriptionId'
const all = { toolsListChanged: true }
const withExtensions = (extensions: Extension[], changes: Changes = memoryChanges()) =>
  server({ authenticated: true, changes, extensions })

describe('an extension', () => {
  const id = 'com.example/jobs'
  const capabilities = { extensions: { [id]: {} } }
  const states = new Map<string, string>()
  let reading = Promise.resolve()
  const extension: Extension = {
    id,
    subscription: {
      filter: 'jobIds',
      notification: 'notifications/com.example/jobs',
      narrow: (ids, { principal: who }) => ids.filter((one) => one.startsWith(`${who?.subject ?? ''}-`)),
      state: async (one) => {
        await reading
        const state = states.get(one)
        if (state === 'broken') throw new Error('secret-detail')
        return state === undefined ? undefined : { jobId: one, state, _meta: { 'com.example/k': 1 } }
      },
    },
  }
  const made = () => {
    const changes = memoryChanges()
    return { changes, on: withExtensions([extension], changes) }
  }
  const follow = (on: ReturnType<typeof made>['on'], jobIds: string[]) =>
    open(on, { jobIds }, { principal: principal([], 'alice'), capabilities })

  test('SUB-13 ids of an extension the client did not declare are -32021 with 400', async () => {
    const { on } = made()
    const who = { principal: principal([], 'alice') }
    expect(await refused(on, { notifications: { jobIds: ['alice-1'] } }, who)).toMatchObject({
      code: -32021,
      status: 400,
      data: { requiredCapabilities: { extensions: { [id]: {} } } },
    })
    expect((await send(on, { notifications: all }, who)).kind).toBe('stream')
  })

  test('SUB-13 so they are where nothing tells their changes; who did declare it gets an empty stream', async () => {
    const on = server({ authenticated: true, extensions: [extension] })
    const who = { principal: principal([], 'alice') }
    for (const jobIds of [['alice-1'], []])
      expect(await refused(on, { notifications: { jobIds } }, who)).toMatchObject({
        code: -32021,
        status: 400,
      })
    const reader = await open(on, { jobIds: ['alice-1'] }, { ...who, capabilities })
    expect(reader.messages[0].params.notifications).toEqual({})
    expect(reader.ended).toBe(true)
  })

  test('SUB-14 no state is told once the token has expired, not even one that was read before', async () => {
    vi.useFakeTimers()
    const { on } = made()
    let release = () => undefined as void
    reading = new Promise((resolve) => (release = resolve))
    states.set('alice-1', 'done')
    const expiresAt = Math.floor(Date.now() / 1000) + 5
    const who = { ...principal([], 'alice'), expiresAt }
    const reader = await open(on, { jobIds: ['alice-1'] }, { principal: who, capabilities })
    await vi.advanceTimersByTimeAsync(0)
    vi.setSystemTime(expiresAt * 1000)
    release()
    reading = Promise.resolve()
    await vi.advanceTimersByTimeAsync(0)
    reader.answer.closed()
    vi.useRealTimers()
    expect(reader.messages.slice(1)).toMatchObject([{ result: { resultType: 'complete' } }])
  })

  test('G-90 SUB-14 only own ids are followed, and whole states are told: once at first, then with each change', async () => {
    const { on, changes } = made()
    states.set('alice-1', 'working').set('bob-1', 'working')
    const reader = await follow(on, ['alice-1', 'alice-2', 'bob-1'])
    expect(reader.messages[0].params.notifications).toEqual({ jobIds: ['alice-1', 'alice-2'] })
    await vi.waitFor(() => expect(reader.messages).toHaveLength(2))
    states.set('alice-1', 'done')
    await changes.stateChanged('jobIds', 'bob-1')
    await changes.stateChanged('taskIds', 'alice-1')
    await changes.stateChanged('jobIds', 'alice-1')
    await vi.waitFor(() => expect(reader.messages).toHaveLength(3))
    const meta = { 'com.example/k': 1, [idKey]: 1 }
    expect(reader.messages.slice(1).map(({ params }) => params)).toEqual([
      { jobId: 'alice-1', state: 'working', _meta: meta },
      { jobId: 'alice-1', state: 'done', _meta: meta },
    ])
  })

  test('G-90 what changes while it is read is read again', async () => {
    const { on, changes } = made()
    states.clear()
    const reader = await follow(on, ['alice-1'])
    await Promise.resolve()
    let release = () => undefined as void
    reading = new Promise((resolve) => (release = resolve))
    await new Promise((resolve) => setImmediate(resolve))
    states.set('alice-1', 'first')
    await changes.stateChanged('jobIds', 'alice-1')
    await changes.stateChanged('jobIds', 'alice-1')
    await changes.stateChanged('jobIds', 'alice-1')
    release()
    reading = Promise.resolve()
    await vi.waitFor(() => expect(reader.messages).toHaveLength(3))
    await new Promise((resolve) => setImmediate(resolve))
    expect(reader.messages).toHaveLength(3)
  })

  const many = Array.from({ length: 200 }, (_, index) => `alice-${index}`)
  const counting = () => {
    const counts = { reads: 0, now: 0, most: 0 }
    const state: NonNullable<Extension['subscription']>['state'] = async (one) => {
      counts.reads++
      counts.most = Math.max(counts.most, ++counts.now)
      await new Promise((resolve) => setImmediate(resolve))
      counts.now--
      return { jobId: one, state: String(counts.reads) }
    }
    const changes = memoryChanges()
    const on = withExtensions([{ id, subscription: { ...extension.subscription!, state } }], changes)
    return { counts, changes, on }
  }
  const told = ({ messages }: Awaited<ReturnType<typeof open>>) =>
    messages.slice(1).map(({ params }) => params.jobId as string)

  test('SUB-14 few states are read at a time, and all are told in order', async () => {
    const { counts, on } = counting()
    const reader = await follow(on, many)
    await vi.waitFor(() => expect(told(reader)).toEqual(many))
    expect(counts).toEqual({ reads: 200, now: 0, most: 4 })
  })

  test('SUB-14 for a reader that takes one at a time no more is read than is told soon', async () => {
    const { counts, changes, on } = counting()
    const reader = await follow(on, many)
    reader.isSlow = true
    for (let step = 0; new Set(told(reader)).size < many.length; step++) {
      if (step % 4 === 0) await changes.stateChanged('jobIds', 'alice-0')
      reader.answer.drained()
      await new Promise((resolve) => setImmediate(resolve))
    }
    expect(counts.reads).toBeLessThanOrEqual(told(reader).length + 4)
    expect(
      told(reader)
        .filter((one) => one !== 'alice-0')
        .sort(),
    ).toEqual(many.slice(1).sort())
  })

  test('SUB-14 a state that cannot be read ends the stream with an error that tells nothing', async () => {
    const { on } = made()
    states.set('alice-1', 'broken')
    const reader = await follow(on, ['alice-1'])
    await vi.waitFor(() => expect(reader.ended).toBe(true))
    expect(reader.messages.at(-1)).toMatchObject({ error: { code: -32603 } })
    expect(JSON.stringify(reader.messages)).not.toContain('secret-detail')
  })

  test.each(['jobIds', 'toolsListChanged'])('a filter member stands once: %s', (filter) => {
    const other = { id: 'com.example/other', subscription: { ...extension.subscription!, filter } }
    expect(() => withExtensions([extension, other])).toThrow(
      expect.objectContaining({ code: 'ERR_DEFINITION' }),
    )
  })
})
