import type { HolderVerdict } from './possession.js'
import type { ReplayStore } from './replay-store.js'

const maxWait = 2_000
const unavailable: HolderVerdict = Object.freeze({
  outcome: 'undecided',
  reason: 'replay store: unavailable',
})
const replayed: HolderVerdict = Object.freeze({ outcome: 'invalid-proof', defect: 'proof-replayed' })
const first: HolderVerdict = Object.freeze({ outcome: 'proven' })

/** Marks a proof as used and says whether it was the first time. Undecided when the store fails or takes over 2 s. */
export async function firstUse(
  store: ReplayStore,
  key: string,
  lifetimeSeconds: number,
): Promise<HolderVerdict> {
  try {
    const answer = store.add(key, lifetimeSeconds)
    const added = typeof answer === 'boolean' ? answer : await inTime(answer)
    if (typeof added !== 'boolean') return unavailable
    return added ? first : replayed
  } catch {
    return unavailable
  }
}

async function inTime(answer: Promise<unknown>): Promise<unknown> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<void>((resolve) => (timer = setTimeout(resolve, maxWait)))
  try {
    return await Promise.race([answer, late])
  } finally {
    clearTimeout(timer)
  }
}
