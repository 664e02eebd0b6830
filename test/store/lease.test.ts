import { randomBytes } from 'node:crypto'
import { Keyv } from 'keyv'
import { keyvAuthorizationStore, StoreError, type DistributedLock, type HeldLock } from 'castellan/store'
import { afterEach, describe, expect, test, vi } from 'vitest'

const key = 'a'.repeat(64)
const otherKey = 'b'.repeat(64)
const keys = [{ id: '1', key: randomBytes(32) }]

/** A lock that does what a test says and tells what was asked of it. */
function scriptedLock(behaviour: Partial<HeldLock> & { acquire?: (name: string) => Promise<void> } = {}) {
  const asked: string[] = []
  const lock: DistributedLock = {
    async acquire(name) {
      asked.push(`acquire ${name}`)
      await behaviour.acquire?.(name)
      const ask = (word: string) => asked.push(`${word} ${name}`)
      return {
        isHeld: async () => (ask('isHeld'), (await behaviour.isHeld?.()) ?? true),
        renew: async () => (ask('renew'), (await behaviour.renew?.()) ?? true),
        release: async () => (ask('release'), behaviour.release?.()),
      }
    },
  }
  const count = (word: string) => asked.filter((entry) => entry.startsWith(word)).length
  return { lock, asked, count }
}

const storeWith = (lock: DistributedLock, keyv = new Keyv()) =>
  keyvAuthorizationStore({ keyv, lock, keys, namespace: 'user' })

const down = () => Promise.reject(new Error('the backend is down'))

afterEach(() => vi.useRealTimers())

describe('a lease', () => {
  test('is renewed three times in 60 seconds while it is used, and not afterwards (D3)', async () => {
    vi.useFakeTimers()
    const { lock, count } = scriptedLock()
    await storeWith(lock).withCredentials([key], async (_records, { lost }) => {
      await vi.advanceTimersByTimeAsync(60_000)
      expect(count('renew')).toBe(3)
      expect(lost.aborted).toBe(false)
    })
    await vi.advanceTimersByTimeAsync(60_000)
    expect(count('renew')).toBe(3)
  })

  test.each<[string, () => Promise<boolean>]>([
    ['is refused', () => Promise.resolve(false)],
    ['fails', down],
  ])('is lost when its renewal %s: `lost` aborts and nothing is written (D3)', async (_name, renew) => {
    vi.useFakeTimers()
    const { lock } = scriptedLock({ renew })
    const keyv = new Keyv()
    await storeWith(lock, keyv).withCredentials([key], async (records, { lost }) => {
      const aborted = new Promise((resolve) => lost.addEventListener('abort', resolve))
      await vi.advanceTimersByTimeAsync(20_000)
      await aborted
      expect(lost.reason).toMatchObject({ code: 'ERR_STORE_CONFLICT' })
      await expect(records.get(key)?.save(Buffer.from('x'))).rejects.toMatchObject({
        code: 'ERR_STORE_CONFLICT',
      })
    })
    expect((keyv.store as Map<string, string>).size).toBe(0)
  })

  test('is proven right before every write; when nobody can say, nothing is written (G60)', async () => {
    const { lock } = scriptedLock({ isHeld: down })
    const keyv = new Keyv()
    const saving = storeWith(lock, keyv).withCredentials([key], (records) =>
      records.get(key)!.save(Buffer.from('x')),
    )
    await expect(saving).rejects.toMatchObject({ code: 'ERR_STORE_UNAVAILABLE' })
    expect((keyv.store as Map<string, string>).size).toBe(0)
  })

  test('does not overwrite what somebody else has saved since, whatever the lock says (B116, F20, G60)', async () => {
    const keyv = new Keyv()
    const kept = keyv.store as Map<string, string>
    await storeWith(scriptedLock().lock, keyv).withCredentials([key], async (records) => {
      const record = records.get(key)!
      await record.save(Buffer.from('mine'))
      const [name] = [...kept.keys()]
      const theirs = JSON.stringify({ value: 'what another process has sealed' })
      kept.set(name!, theirs)
      await expect(record.save(Buffer.from('mine again'))).rejects.toMatchObject({
        code: 'ERR_STORE_CONFLICT',
      })
      await expect(record.remove()).rejects.toMatchObject({ code: 'ERR_STORE_CONFLICT' })
      expect([...kept.values()]).toEqual([theirs])
    })
  })

  test('after a save of unknown outcome may save again (B112)', async () => {
    const keyv = new Keyv()
    vi.spyOn(keyv, 'set').mockRejectedValueOnce(new Error('the backend is down'))
    const store = storeWith(scriptedLock().lock, keyv)
    await store.withCredentials([key], async (records) => {
      const record = records.get(key)!
      await expect(record.save(Buffer.from('ready'))).rejects.toMatchObject({ code: 'ERR_STORE_UNCERTAIN' })
      await record.save(Buffer.from('ready'))
      expect(await record.load()).toEqual(new Uint8Array(Buffer.from('ready')))
    })
  })

  test('that was lost during the write is told as uncertain (G60)', async () => {
    let held = true
    const { lock } = scriptedLock({ isHeld: async () => held })
    const keyv = new Keyv()
    const set = keyv.set.bind(keyv)
    vi.spyOn(keyv, 'set').mockImplementation((...words) => ((held = false), set(...words)))
    const saving = storeWith(lock, keyv).withCredentials([key], (records) =>
      records.get(key)!.save(Buffer.from('x')),
    )
    await expect(saving).rejects.toMatchObject({ code: 'ERR_STORE_UNCERTAIN' })
  })

  test('whose release fails after success changes nothing for the caller (D8)', async () => {
    const { lock, count } = scriptedLock({ release: down })
    expect(await storeWith(lock).withCredentials([key], () => Promise.resolve('done'))).toBe('done')
    expect(count('release')).toBe(1)
  })
})

describe('the way to a lease', () => {
  test('a hundred callers ask for one lock one after another (D5)', async () => {
    let waiting = 0
    const { lock, count } = scriptedLock({
      acquire: async () => {
        expect(++waiting).toBe(1)
        await new Promise(setImmediate)
        waiting--
      },
    })
    const keyv = new Keyv()
    const calls = Array.from({ length: 100 }, () =>
      storeWith(lock, keyv).withCredentials([key], () => Promise.resolve()),
    )
    await Promise.all(calls)
    expect(count('acquire')).toBe(100)
  })

  test('locks are taken in one order and given back when a later one fails (D13)', async () => {
    const names = new Set<string>()
    const { lock, asked } = scriptedLock({
      acquire: (name) => (names.add(name).size > 1 ? down() : Promise.resolve()),
    })
    const use = vi.fn()
    const failing = storeWith(lock).withCredentials([otherKey, key, otherKey], use)
    await expect(failing).rejects.toMatchObject({ code: 'ERR_STORE_UNAVAILABLE' })
    const [first, second] = [...names]
    expect(asked).toEqual([`acquire ${first!}`, `acquire ${second!}`, `release ${first!}`])
    expect(use).not.toHaveBeenCalled()
    names.clear()
    await expect(storeWith(lock).withCredentials([key, otherKey], use)).rejects.toThrow(StoreError)
    expect([...names]).toEqual([first, second])
  })

  test('a wait beyond what timers can count is no wait of a millisecond', async () => {
    const { lock } = scriptedLock({ acquire: () => new Promise((resolve) => setTimeout(resolve, 20)) })
    const use = storeWith(lock).withCredentials([key], () => Promise.resolve('in'), {
      waitMilliseconds: Infinity,
    })
    expect(await use).toBe('in')
  })
})
