import { randomBytes } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { bounded } from './bounded.js'
import type { DistributedLock, HeldLock } from './distributed-lock.js'

/** What a backend does atomically. A fence is a random word that tells one holder from every other. */
export interface LockOperations {
  /** Takes the lock when it is free; false when it is not. */
  take(name: string, fence: string, ttlMilliseconds: number): Promise<boolean>
  isHeld(name: string, fence: string): Promise<boolean>
  renew(name: string, fence: string, ttlMilliseconds: number): Promise<boolean>
  release(name: string, fence: string): Promise<void>
}

/** A lock over four atomic operations: who finds it taken asks again, from every 20 to every 250 milliseconds. */
export function pollingLock(operations: LockOperations): DistributedLock {
  return {
    async acquire(name, { ttlMilliseconds, signal }) {
      const fence = randomBytes(16).toString('hex')
      for (let pause = 20; !(await attempt(name, fence, ttlMilliseconds, signal)); pause *= 2) {
        await delay(Math.min(pause, 250) * (0.5 + Math.random() / 2), undefined, { signal })
      }
      return held(name, fence, ttlMilliseconds)
    },
  }

  /** One attempt. When its answer is lost the lock may be taken all the same, so it is given back. */
  async function attempt(name: string, fence: string, ttl: number, signal: AbortSignal): Promise<boolean> {
    signal.throwIfAborted()
    const giveBack = () => {
      operations.release(name, fence).catch(() => undefined)
    }
    try {
      return await bounded(operations.take(name, fence, ttl), { signal, late: giveBack })
    } catch (error) {
      giveBack()
      throw error
    }
  }

  function held(name: string, fence: string, ttl: number): HeldLock {
    return {
      isHeld: () => bounded(operations.isHeld(name, fence)),
      renew: () => bounded(operations.renew(name, fence, ttl)),
      release: () => bounded(operations.release(name, fence)),
    }
  }
}
