import type { JsonObject } from '../../protocol/json.js'
import type { Continuation } from '../caller.js'
import type { CallerSettings } from '../caller-options.js'
import type { CallInput } from './capabilities.js'
import { delay } from './delay.js'
import { answered } from './input-rounds.js'
import { readUnfinished, type Unfinished } from '../reading/input-request.js'
import { malformed } from '../reading/member.js'
import { resultType } from '../reading/result-type.js'
import { afterSending } from './outcome.js'

/** One request that may take several rounds. */
export interface Rounds {
  readonly method: string
  readonly settings: CallerSettings
  readonly input: CallInput
  readonly taskSupport: boolean
  readonly signal: AbortSignal | undefined
  /** Sends one round; the first one without answers of this side. */
  readonly send: (continuation: Continuation | undefined) => Promise<JsonObject>
  /** Whether an answer was lost on the way. */
  readonly lost: () => boolean
}

/** How the last round ended. */
export type Ended =
  | { readonly type: 'complete' | 'task'; readonly result: JsonObject }
  | { readonly type: 'input_required'; readonly result: JsonObject; readonly unfinished: Unfinished }

/** Milliseconds before asking again when the server only wants its state back (MR-30). */
const pace = 250

/**
 * Sends rounds until the request is finished or the host has to answer. Answers and state are those of the last round
 * alone, echoed byte for byte (MCP 2026-07-28, "Multi Round-Trip Requests", MR-30 to MR-34).
 */
export async function runRounds(rounds: Rounds): Promise<Ended> {
  const { method, settings, input } = rounds
  let continuation: Continuation | undefined
  for (let round = 1; ; round++) {
    const result = await sendRound(rounds, continuation, round)
    try {
      const type = resultType(method, result, {
        unfinished: input.by !== 'nobody',
        task: rounds.taskSupport,
      })
      if (type !== 'input_required') return { type, result }
      const unfinished = readUnfinished(result, input.support)
      if (input.by === 'host') return { type, result, unfinished }
      if (round >= settings.limits.rounds) throw malformed(`${method} asks for more than ${round} rounds`)
      continuation = await answerRound(rounds, unfinished)
    } catch (error) {
      throw afterSending(method, error, rounds.lost())
    }
  }
}

/** What fails before a later round was sent still follows a round that was. */
async function sendRound(
  { send, method, lost }: Rounds,
  continuation: Continuation | undefined,
  round: number,
): Promise<JsonObject> {
  try {
    return await send(continuation)
  } catch (error) {
    throw round === 1 && !lost() ? error : afterSending(method, error, lost())
  }
}

async function answerRound(
  { settings, signal }: Rounds,
  { requests, requestState }: Unfinished,
): Promise<Continuation> {
  const state = requestState === undefined ? {} : { requestState }
  if (Object.keys(requests).length === 0) {
    await delay(pace, signal)
    return state
  }
  return { ...state, inputResponses: await answered(requests, settings.onInput ?? {}, signal) }
}
