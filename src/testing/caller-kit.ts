import type { Caller } from '../client/caller.js'
import type { Awaitable } from '../contract/access.js'
import { callChecks } from './caller-call-checks.js'
import type { CheckedCaller, CheckDefinition } from './caller-check.js'
import { scriptedPeer, type CallerPeer } from './caller-peer.js'
import { taskChecks } from './caller-task-checks.js'

/** One rule of the contract of a `Caller`; `run` rejects when the caller breaks it. */
export interface CallerCheck {
  readonly name: string
  readonly run: () => Promise<void>
}

/**
 * The contract of the four methods of a `Caller` as checks for any test framework.
 *
 * `makeCaller` connects the caller under test to a peer, which stands for a server; every check has a peer of its own.
 * The caller must be able to ask its host (forms and URLs) and must make one attempt per request. A caller that can be
 * disposed of is, after each check.
 */
export function callerKit(makeCaller: (peer: CallerPeer) => Awaitable<Caller>): readonly CallerCheck[] {
  return [...callChecks, ...taskChecks].map(({ name, script, check }: CheckDefinition) => ({
    name,
    async run() {
      const peer = scriptedPeer(script)
      const caller: CheckedCaller = await makeCaller(peer)
      try {
        await check(caller, peer.seen)
      } finally {
        await caller[Symbol.asyncDispose]?.()
      }
    },
  }))
}
