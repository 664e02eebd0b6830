import { damageChecks } from './damage-checks.js'
import { exclusionChecks } from './exclusion-checks.js'
import { recordChecks } from './record-checks.js'
import { checkedStores, type StoreUnderTest } from './store-check.js'
import { transactionChecks } from './transaction-checks.js'

/** One rule of the contract of an `AuthorizationStore`; `run` rejects when the store breaks it. */
export interface StoreCheck {
  readonly name: string
  readonly run: () => Promise<void>
}

/**
 * The contract of an `AuthorizationStore` as checks for any test framework. Every check uses namespaces of its own.
 *
 * What only several processes can show is not in it: run two of them against a store that is shared.
 */
export function authorizationStoreKit(tested: StoreUnderTest): readonly StoreCheck[] {
  return [...recordChecks, ...exclusionChecks, ...transactionChecks, ...damageChecks]
    .filter(({ needs }) => needs === undefined || tested[needs] !== undefined)
    .map(({ name, check }) => ({ name, run: async () => check(await checkedStores(tested)) }))
}
