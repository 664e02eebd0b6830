/**
 * A lock that processes share. It is a lease: who holds it and stops renewing loses it after `ttlMilliseconds`, also when the
 * process is killed.
 */
export interface DistributedLock {
  /** Waits for the lock of this name; rejects with the reason of the signal when that aborts. */
  acquire(
    name: string,
    options: { readonly ttlMilliseconds: number; readonly signal: AbortSignal },
  ): Promise<HeldLock>
}

export interface HeldLock {
  /** Asks the backend whether this holder, and nobody after it, still has the lock. */
  isHeld(): Promise<boolean>
  /** Holds the lock for another `ttlMilliseconds`; false when it is lost. */
  renew(): Promise<boolean>
  /** Gives the lock back; does nothing when it is lost. */
  release(): Promise<void>
}
