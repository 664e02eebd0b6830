import { onAbort } from '../network/on-abort.js'

/** The time one question to a backend may take, in milliseconds; well under the lease. */
const limitMilliseconds = 5000

/**
 * The answer of a backend, or an error when it takes longer than five seconds or the signal aborts. What it answers later is
 * given to `late`.
 */
export async function bounded<T>(
  answer: Promise<T>,
  { signal, late }: { signal?: AbortSignal; late?: (answer: T) => void } = {},
): Promise<T> {
  let stop: () => void = () => undefined
  const ended = new Promise<never>((_resolve, reject) => {
    const timer = setTimeout(() => {
      reject(new Error('The backend did not answer in time'))
    }, limitMilliseconds)
    const forget = onAbort(signal, () => {
      reject(signal?.reason as Error)
    })
    stop = () => {
      clearTimeout(timer)
      forget()
    }
  })
  try {
    return await Promise.race([answer, ended])
  } catch (error) {
    answer.then(late, () => undefined)
    throw error
  } finally {
    stop()
  }
}
