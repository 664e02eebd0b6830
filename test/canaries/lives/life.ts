import type { TestAuthorizationServer } from 'castellan/testing'
import type { Canaries } from '../canaries.js'

export type Endpoint = Parameters<TestAuthorizationServer['fault']>[0]

/** Makes an authorization server fail in one way; gives what is to be called after each step. */
export type Break = (as: TestAuthorizationServer) => () => void

/** When something fails: from the start, or once everything has been well for a while. */
export interface Faults {
  readonly early?: Break
  readonly late?: Break
}

/** What one part of the product does from its beginning to its end. */
export interface Life {
  readonly name: string
  /** Names of secrets that have been about by the end of a good one. */
  readonly secrets: readonly string[]
  /** What can fail in it. */
  readonly endpoints: readonly Endpoint[]
  readonly live: (found: Canaries, faults: Faults) => Promise<void>
}

interface Steps {
  /** One step; whatever it rejects with is looked at. */
  readonly attempt: <T>(call: Promise<T>) => Promise<T | undefined>
  /** What fails late, fails from here on. */
  readonly turn: () => void
}

/** The steps of a life that depends on one authorization server. */
export function stepsAt(as: TestAuthorizationServer, found: Canaries, { early, late }: Faults): Steps {
  let after = early?.(as)
  return {
    async attempt(call) {
      const value = await found.attempt(call)
      after?.()
      return value
    },
    turn: () => void (after = late?.(as) ?? after),
  }
}
