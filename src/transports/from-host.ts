import { abortable } from '../network/abortable.js'
import { joinSignals } from '../network/joined-signal.js'
import { IdentityRequiredError } from './errors.js'

const milliseconds = 30_000

/** Waits for what the host is asked for, which it has 30 seconds to give. The signal tells it that nobody waits any more. */
export function fromHost<T>(ask: (signal: AbortSignal) => T | Promise<T>, outer?: AbortSignal): Promise<T> {
  const { signal, release } = joinSignals([outer], milliseconds)
  return abortable(
    new Promise<T>((resolve) => {
      resolve(ask(signal))
    }),
    signal,
  ).finally(release)
}

const credential = /^[\x21-\x7e]{1,262144}$/

/**
 * What the host gave to be shown to a server: printable ASCII without spaces, of at most 256 KiB. Throws
 * `IdentityRequiredError` for anything else, so that half a file or an error page is never sent.
 */
export function checkedCredential(value: unknown): string {
  if (typeof value === 'string' && credential.test(value)) return value
  const isAbsent = value === undefined || value === ''
  throw new IdentityRequiredError(
    isAbsent
      ? undefined
      : 'What the host gave is no token or assertion: it has spaces or line ends, or more than 256 KiB; nothing was sent',
  )
}
