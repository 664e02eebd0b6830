import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { memoryReplayStore } from '../../../src/resource-server/index.js'
import { stateSeal, type Carried, type InputStateOptions } from '../../../src/server/input/state-seal.js'
import { principal, server } from '../harness.js'
import { asking, next, page, returned, round, sure, yes } from './asking.js'

const keyFrom = (byte: number) => new Uint8Array(32).fill(byte)
const key = (id: string) => ({ id, key: keyFrom(id.charCodeAt(0)) })
const carried: Carried = { round: 1, answers: { sure: yes }, value: { price: 5 } }
const refused = expect.objectContaining({
  code: 'ERR_PARAMS',
  message: expect.stringContaining('requestState') as string,
})

beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'] }))
afterEach(() => void vi.useRealTimers())

describe('the seal', () => {
  const seal = stateSeal({ keys: [key('a')] })

  test('MR-13 B045 what is carried comes back, and cannot be read in between', async () => {
    const json = fc.jsonValue({ maxDepth: 3 })
    await fc.assert(
      fc.asyncProperty(fc.nat(15), json, fc.string(), async (rounds, value, binding) => {
        const given = { round: rounds, answers: { sure: yes }, value }
        const text = await seal.seal(given, binding)
        expect(await seal.open(text, binding)).toMatchObject(JSON.parse(JSON.stringify(given)) as object)
        expect(Buffer.from(text.split('.')[3] ?? '', 'base64url').includes('accept')).toBe(false)
      }),
      { numRuns: 50 },
    )
  })

  test('MR-13 B045 one changed bit, character or length, and another spelling of the base64, are refused', async () => {
    const text = await seal.seal(carried, 'binding')
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.=+/ é'
    await fc.assert(
      fc.asyncProperty(
        fc.nat(text.length - 1),
        fc.constantFrom(...Array.from(alphabet)),
        async (at, character) => {
          fc.pre(text[at] !== character)
          const changed = text.slice(0, at) + character + text.slice(at + 1)
          await expect(seal.open(changed, 'binding')).rejects.toEqual(refused)
        },
      ),
      { numRuns: 500 },
    )
    await fc.assert(
      fc.asyncProperty(fc.nat(text.length), fc.string({ minLength: 1, maxLength: 4 }), async (at, more) => {
        await expect(seal.open(text.slice(0, at) + more + text.slice(at), 'binding')).rejects.toEqual(refused)
        if (at < text.length) await expect(seal.open(text.slice(0, at), 'binding')).rejects.toEqual(refused)
      }),
      { numRuns: 100 },
    )
  })

  test.each([
    '',
    'x',
    'a.b.c.d.e',
    'x'.repeat(30_000),
    5,
    {},
    [],
    true,
    'eyJhbGciOiJub25lIn0..AAAA.AAAA.AAAA',
    'eyJhbGciOiJSU0EtT0FFUCIsImVuYyI6IkEyNTZHQ00iLCJraWQiOiJhIn0.AAAA.AAAA.AAAA.AAAA',
  ])('B045 %j was never sealed', async (text) => {
    await expect(seal.open(text, 'binding')).rejects.toEqual(refused)
  })

  test('MR-14 B045 it ends, and is not valid a moment later', async () => {
    const short = stateSeal({ keys: [key('a')], lifetimeSeconds: 60 })
    vi.setSystemTime(1_000_000)
    const text = await short.seal(carried, 'binding')
    vi.setSystemTime(1_059_999)
    expect(await short.open(text, 'binding')).toMatchObject(carried)
    vi.setSystemTime(1_060_000)
    await expect(short.open(text, 'binding')).rejects.toEqual(refused)
  })

  test('MR-15 with a store each state is good once, and only here', async () => {
    const singleUse = memoryReplayStore()
    const [one, other] = [
      stateSeal({ keys: [key('a')], singleUse }),
      stateSeal({ keys: [key('a')], singleUse }),
    ]
    const text = await one.seal(carried, 'binding')
    await expect(one.open(text, 'another')).rejects.toEqual(refused)
    expect(await other.open(text, 'binding')).toMatchObject(carried)
    await expect(one.open(text, 'binding')).rejects.toEqual(refused)
  })

  test('a store that fails is no proof of the first use', async () => {
    const broken = { add: () => Promise.reject(new Error('down')) }
    const one = stateSeal({ keys: [key('a')], singleUse: broken })
    await expect(one.open(await one.seal(carried, 'x'), 'x')).rejects.toThrow('down')
  })

  test('MR-15 nor is one that does not answer: the call is not kept waiting for it', async () => {
    const silent = { add: () => new Promise<boolean>(() => undefined) }
    const one = stateSeal({ keys: [key('a')], singleUse: silent })
    await expect(one.open(await one.seal(carried, 'x'), 'x')).rejects.toThrow(/timeout/)
  })

  test('without keys it is of this process', async () => {
    const text = await stateSeal({}).seal(carried, 'x')
    await expect(stateSeal({}).open(text, 'x')).rejects.toEqual(refused)
  })

  test('MR-14 rotation: any sequence of key lists opens exactly what one of its keys sealed', async () => {
    const ids = fc.uniqueArray(fc.constantFrom<string[]>('a', 'b', 'c', 'd'), { minLength: 1, maxLength: 4 })
    await fc.assert(
      fc.asyncProperty(fc.array(ids, { minLength: 2, maxLength: 5 }), async (lists) => {
        const seals = lists.map((list) => stateSeal({ keys: list.map(key) }))
        for (const [at, one] of seals.entries()) {
          const text = await one.seal(carried, 'x')
          for (const [to, other] of seals.entries()) {
            const known = lists[to]?.includes(lists[at]?.[0] ?? '') === true
            if (known) expect(await other.open(text, 'x')).toMatchObject(carried)
            else await expect(other.open(text, 'x')).rejects.toEqual(refused)
          }
        }
      }),
      { numRuns: 30 },
    )
  })

  test('one id with another key opens nothing', async () => {
    const text = await seal.seal(carried, 'x')
    await expect(stateSeal({ keys: [{ id: 'a', key: keyFrom(9) }] }).open(text, 'x')).rejects.toEqual(refused)
  })
})

test.each<[string, InputStateOptions]>([
  ['no key', { keys: [] }],
  ['a short key', { keys: [{ id: 'a', key: new Uint8Array(16) }] }],
  ['text for a key', { keys: [{ id: 'a', key: 'x'.repeat(32) as never }] }],
  ['no id', { keys: [{ id: '', key: keyFrom(1) }] }],
  ['an id twice', { keys: [key('a'), key('a')] }],
  ['no list', { keys: {} as never }],
  ['no time', { lifetimeSeconds: 0 }],
  ['half a second', { lifetimeSeconds: 0.5 }],
  ['more than a day', { lifetimeSeconds: 86_401 }],
  ['no store', { singleUse: {} as never }],
])('%s: refused at start, and the message names the option', (_name, inputState) => {
  expect(() => server({ inputState })).toThrow(expect.objectContaining({ code: 'ERR_OPTION' }))
  expect(() => server({ inputState })).toThrow(/`inputState\.(?:keys|lifetimeSeconds|singleUse)`/)
})

describe('a state is good for one call only', () => {
  const inputState = { keys: [key('a')] }
  const tool = asking({ sure, page }, async (input) => {
    const first = await input.sure({ message: 'Sure?' })
    const second = await input.page({ message: 'Look', url: 'https://a.example' })
    return [first.action, second.action, input.state.get() ?? null]
  })
  const other = { ...tool, definition: { ...tool.definition, name: 'other' } }
  const on = () => server({ tools: [tool, other], authenticated: true, inputState })
  const alice = principal(['a'])

  interface Variation {
    readonly who?: 'alice' | 'bob' | 'client' | 'issuer'
    readonly name: 'ask' | 'other'
    readonly n: 1 | 2
  }
  const people = {
    alice,
    bob: principal(['a'], 'bob'),
    client: { ...alice, clientId: 'x' },
    issuer: { ...alice, issuer: 'https://other.example.com' },
  }
  const variation = fc.record<Required<Variation>>({
    who: fc.constantFrom('alice', 'bob', 'client', 'issuer'),
    name: fc.constantFrom('ask', 'other'),
    n: fc.constantFrom(1, 2),
  })
  const call = ({ who, name, n }: Required<Variation>, more: object = {}) => ({
    who: people[who],
    params: { name, arguments: { n }, ...more },
  })

  test('MR-14 MR-33 B045 swapped between callers, clients, issuers, tools or arguments it is refused', async () => {
    await fc.assert(
      fc.asyncProperty(variation, variation, async (from, to) => {
        const one = await round(on(), call(from))
        const { json } = await next(on(), one, { sure: yes }, call(to))
        const same = JSON.stringify(from) === JSON.stringify(to)
        expect(json.error?.code ?? json.result.resultType).toBe(same ? 'input_required' : -32602)
        if (!same)
          expect(json.error.message).toBe('`requestState` is not valid for this request, or has expired')
      }),
      { numRuns: 100 },
    )
  })

  test('MR-14 the order of members is not another call; the state of an earlier round is an earlier round', async () => {
    const instance = on()
    const one = await round(
      instance,
      call({ who: 'alice', name: 'ask', n: 1 }, { arguments: { n: 1, m: { a: 1, b: 2 } } }),
    )
    const again = { who: alice, params: { arguments: { m: { b: 2, a: 1 }, n: 1 } } }
    const two = await next(instance, one, { sure: yes }, again)
    const three = await next(on(), two, { page: { action: 'accept' } }, again)
    expect(returned(three)).toEqual(['accept', 'accept', null])
    const back = await next(instance, one, { sure: { action: 'decline' }, page: { action: 'accept' } }, again)
    expect(returned(back)).toEqual(['decline', 'accept', null])
  })

  test('MR-14 nor for another server', async () => {
    const one = await round(on(), { who: alice })
    const elsewhere = server({ name: 'other', tools: [tool], authenticated: true, inputState })
    expect((await next(elsewhere, one, {}, { who: alice })).json.error.code).toBe(-32602)
  })

  test('B045 null is no state', async () => {
    const told = await round(on(), { who: alice, params: { requestState: null, inputResponses: null } })
    expect(told.json.result.resultType).toBe('input_required')
  })

  test('B046 callers without a principal are told apart by nothing but the state, which ends and names the call', async () => {
    const open = server({ tools: [tool, other], inputState })
    const one = await round(open)
    expect((await next(open, one, { sure: yes })).json.result.resultType).toBe('input_required')
    expect((await next(open, one, { sure: yes }, { params: { name: 'other' } })).json.error.code).toBe(-32602)
    expect((await next(on(), one, { sure: yes }, { who: alice })).json.error.code).toBe(-32602)
  })
})
