import type { Awaitable } from '../contract/access.js'
import { implementation, type Implementation } from '../contract/implementation.js'
import { DefinitionError } from '../errors.js'
import type { JsonObject } from '../protocol/json.js'
import type { FormRequest, InputResponse, UrlRequest } from './input.js'

/** When an interrupted answer may be asked for again; only for servers whose annotations the host trusts. */
export interface RetryPolicy {
  /** How often one tool call may be sent in all, 1 or more. */
  readonly maxAttempts: number
  /** Whether `readOnlyHint` and `idempotentHint` of this server are believed. */
  readonly trustToolAnnotations: boolean
}

/** Which questions the host answers itself, between two calls. */
export interface InputSupport {
  readonly form?: true
  readonly url?: true
}

export interface InputContext {
  /** The server's name for this question. */
  readonly key: string
  readonly signal: AbortSignal | undefined
}

export type InputHandler<Request> = (request: Request, context: InputContext) => Awaitable<InputResponse>

/** Answers questions while the call waits. A URL is shown to the user in full and never opened unasked. */
export interface InputHandlers {
  readonly form?: InputHandler<FormRequest>
  readonly url?: InputHandler<UrlRequest>
}

export interface CallerLimits {
  /** How often one call may be answered with questions; 10 when left out. */
  readonly rounds?: number
  /** Pages of one list; 1,000 when left out. */
  readonly listPages?: number
}

/** Something that was left out of an answer because it is not valid; the rest is used. */
export interface CallerWarning {
  readonly message: string
  /** The name of the tool it is about. */
  readonly tool?: string
}

/** What every caller takes. */
export interface CallerOptions {
  /** What the application calls itself; servers show and log it. */
  readonly clientInfo: Implementation
  readonly retry?: RetryPolicy
  /** Declares what the host answers; an unfinished call is then returned. Not together with `onInput`. */
  readonly inputSupport?: InputSupport
  /** Answers questions by itself, so that every call runs to its end. Not together with `inputSupport`. */
  readonly onInput?: InputHandlers
  /** Protocol extensions the host supports, by identifier, with their settings; declared on every request. */
  readonly extensions?: Readonly<Record<string, JsonObject>>
  readonly limits?: CallerLimits
  readonly onWarning?: (warning: CallerWarning) => void
}

/** The options of a caller, checked and complete. */
export interface CallerSettings {
  readonly clientInfo: Implementation
  readonly retry: RetryPolicy
  readonly inputSupport: InputSupport | undefined
  readonly onInput: InputHandlers | undefined
  readonly extensions: Readonly<Record<string, JsonObject>>
  readonly limits: Required<CallerLimits>
  readonly warn: (warning: CallerWarning) => void
}

const once: RetryPolicy = { maxAttempts: 1, trustToolAnnotations: false }

/** Checks and completes the options every caller takes. Throws `ERR_OPTION`. */
export function callerSettings(options: CallerOptions): CallerSettings {
  const { clientInfo, retry = once, inputSupport, onInput, extensions = {}, limits = {} } = options
  checkWhole('retry.maxAttempts', retry.maxAttempts)
  if (inputSupport !== undefined && onInput !== undefined) {
    throw new DefinitionError('`inputSupport` and `onInput` exclude each other', 'ERR_OPTION')
  }
  const { rounds = 10, listPages = 1000 } = limits
  checkWhole('limits.rounds', rounds)
  checkWhole('limits.listPages', listPages)
  return Object.freeze({
    clientInfo: implementation('clientInfo.', clientInfo),
    retry: Object.freeze({ ...retry }),
    inputSupport: inputSupport && Object.freeze({ ...inputSupport }),
    onInput: onInput && Object.freeze({ ...onInput }),
    extensions: Object.freeze({ ...extensions }),
    limits: Object.freeze({ rounds, listPages }),
    warn: options.onWarning ?? (() => undefined),
  })
}

function checkWhole(name: string, value: number): void {
  if (Number.isSafeInteger(value) && value >= 1) return
  throw new DefinitionError(`\`${name}\` must be a whole number, 1 or more`, 'ERR_OPTION')
}
