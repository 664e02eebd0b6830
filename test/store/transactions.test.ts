import { createHash } from 'node:crypto'
import { memoryAuthorizationStore } from 'castellan/store'
import { expect, test, vi } from 'vitest'

const stateOf = (n: number) => createHash('sha256').update(String(n)).digest('hex')

test('transactions nobody takes make room by age, so a store of them does not grow (B155)', async () => {
  const { transactions } = memoryAuthorizationStore()
  const inAWhile = Date.now() + 60_000
  for (let n = 0; n < 40; n++) await transactions.put(stateOf(n), new Uint8Array([n]), inAWhile + n)
  for (let n = 0; n < 8; n++) expect(await transactions.take(stateOf(n))).toBeUndefined()
  for (let n = 8; n < 40; n++) expect(await transactions.take(stateOf(n))).toEqual(new Uint8Array([n]))
})

test('an expired transaction is not given out, and its hash is free again (B155)', async () => {
  vi.useFakeTimers({ toFake: ['Date'] })
  try {
    const { transactions } = memoryAuthorizationStore()
    await transactions.put(stateOf(1), new Uint8Array([1]), Date.now() + 1000)
    vi.setSystemTime(Date.now() + 1000)
    await transactions.put(stateOf(1), new Uint8Array([2]), Date.now() + 1000)
    vi.setSystemTime(Date.now() + 999)
    expect(await transactions.take(stateOf(1))).toEqual(new Uint8Array([2]))
  } finally {
    vi.useRealTimers()
  }
})
