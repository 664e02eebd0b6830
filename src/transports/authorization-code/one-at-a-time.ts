import { abortable } from '../../network/abortable.js'
import type { Obtain } from '../grant/shared-grant.js'

/** Lets requests with different wishes wait for each other, so that the user never has two browsers to answer in. */
export function oneAtATime(obtain: Obtain): Obtain {
  let last: Promise<unknown> = Promise.resolve()
  return async (wish, signal) => {
    const before = last
    const turn = abortable(before, signal).then(() => obtain(wish, signal))
    // Without its values, which would hold every token there has been.
    last = Promise.allSettled([before, turn]).then(() => undefined)
    return turn
  }
}
