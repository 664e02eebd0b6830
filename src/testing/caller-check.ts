import assert from 'node:assert/strict'
import type { Caller } from '../client/caller.js'
import { MalformedResponseError, OutcomeUnknownError } from '../client/errors.js'
import type { JsonObject } from '../protocol/json.js'
import type { PeerAnswer, PeerRequest, PeerScript } from './caller-peer.js'

export type CheckedCaller = Caller & Partial<AsyncDisposable>

/** One check: how the peer answers, and what must come of it. */
export interface CheckDefinition {
  readonly name: string
  readonly script: PeerScript
  readonly check: (caller: Caller, seen: readonly PeerRequest[]) => Promise<void>
}

export function answered(result: JsonObject): PeerAnswer {
  return { result: { resultType: 'complete', ...result } }
}

/** What a promise rejects with; fails when it does not. */
export async function rejection(promise: Promise<unknown>): Promise<unknown> {
  const outcome = await promise.then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  )
  if ('error' in outcome) return outcome.error
  assert.fail(`It must reject, and resolved with ${JSON.stringify(outcome.value)}`)
}

/** Expects an answer to be refused as malformed, also where the outcome of the request is thereby unknown. */
export async function expectMalformed(promise: Promise<unknown>): Promise<void> {
  const error = await rejection(promise)
  const told = error instanceof OutcomeUnknownError ? error.cause : error
  assert.ok(told instanceof MalformedResponseError, `It must be malformed, and is ${String(told)}`)
}

/** The parameters of the only request the peer has seen, without its `_meta`. */
export function onlyParams(seen: readonly PeerRequest[], method: string): JsonObject {
  assert.deepEqual(
    seen.map((request) => request.method),
    [method],
  )
  const params = Object.entries(seen[0]?.params ?? {}).filter(([name]) => name !== '_meta')
  return Object.fromEntries(params)
}
