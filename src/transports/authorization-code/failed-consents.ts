import { ConsentError } from '../errors.js'
import type { GrantWish } from '../grant/shared-grant.js'

/** The consents that came to nothing a short time ago, so that no call sends the user to a browser for the same again. */
export interface FailedConsents {
  /** Throws the error of the consent that would be asked for once more. */
  check(wish: GrantWish): void
  /** A user who was only late may be asked again at once. */
  note(wish: GrantWish, error: unknown): void
  /** Lets the user be asked for anything. */
  forget(): void
}

interface FailedConsent {
  readonly scopes: readonly string[]
  readonly error: unknown
  readonly until: number
}

const milliseconds = 60_000

export function failedConsents(): FailedConsents {
  let failed: readonly FailedConsent[] = []
  return {
    check({ scopes: wanted = [] }) {
      failed = failed.filter(({ until }) => performance.now() < until)
      const same = failed.find(({ scopes }) => scopes.every((scope) => wanted.includes(scope)))
      if (same !== undefined) throw same.error
    },
    note({ scopes = [] }, error) {
      if (error instanceof ConsentError && error.reason === 'expired') return
      failed = [...failed, { scopes, error, until: performance.now() + milliseconds }]
    },
    forget() {
      failed = []
    },
  }
}
