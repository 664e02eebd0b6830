import type { Awaitable } from '../contract/access.js'
import type { CompletionContext } from '../contract/completion.js'
import type { Logger, Progress, ResourceContext, RouteValues } from '../contract/context.js'
import type { Principal } from '../oauth/principal.js'
import type { Envelope, HeaderReader, Revision } from '../protocol/revision.js'
import type { Questions } from './input/questions.js'

/** What the carrier of a request knows and can do. */
export interface DispatchContext {
  readonly principal?: Principal | undefined
  readonly route?: RouteValues
  readonly log: Logger
  /** Sends a notification ahead of the answer; absent when the caller takes one answer only. */
  readonly notify?: ((notification: string) => Awaitable<void>) | undefined
  /** Hears whether the scopes of an operation were held, with the declared name of what it is about. */
  readonly judged?: ((granted: boolean, method: string, name: string | undefined) => void) | undefined
  /** Made when a handler first asks: aborts when the server stops and, if so wished, when the caller is gone. */
  signal(disconnectCancels: boolean): AbortSignal
}

const settled = Promise.resolve()

/** One request on its way through the server. It is the context its handler gets. */
export class Call implements ResourceContext, CompletionContext {
  readonly revision: Revision
  readonly envelope: Envelope
  readonly headers: HeaderReader | undefined
  /** Whether a handler was reached: what fails from then on is never an HTTP error. */
  dispatched = false
  route: RouteValues
  /** The values of the URL as they came, before any schema read them. */
  readonly givenRoute: RouteValues
  /** What a handler asks with, when its definition declares inputs. */
  questions: Questions | undefined
  /** The resource that is read. */
  uri = ''
  /** The arguments already chosen, in a completion. */
  chosen: Readonly<Record<string, string>> = {}
  readonly #carrier: DispatchContext
  #lastProgress = -Infinity
  #finished = false

  constructor(
    revision: Revision,
    envelope: Envelope,
    headers: HeaderReader | undefined,
    carrier: DispatchContext,
  ) {
    this.revision = revision
    this.envelope = envelope
    this.headers = headers
    this.givenRoute = carrier.route ?? {}
    this.route = this.givenRoute
    this.#carrier = carrier
  }

  get principal(): Principal | undefined {
    return this.#carrier.principal
  }

  get log(): Logger {
    return this.#carrier.log
  }

  get signal(): AbortSignal {
    const signal = this.#carrier.signal(this.revision.disconnectCancels)
    return this.questions?.signalWith(signal) ?? signal
  }

  get input(): unknown {
    return this.questions?.face
  }

  /** Whether the caller takes more than one message. */
  get streams(): boolean {
    return this.#carrier.notify !== undefined
  }

  get protocol(): string {
    return this.revision.version
  }

  /**
   * A bound function, so that handlers may take it out of the context. What is wrong is thrown at once, since few
   * wait for the promise: one that rejected unseen would end the process.
   */
  readonly progress = ({ progress, total, message }: Progress): Promise<void> => {
    if (this.#finished) return settled
    if (!Number.isFinite(progress) || (total !== undefined && !Number.isFinite(total)))
      throw new RangeError('progress and total must be finite numbers')
    const token = this.envelope.progressToken
    const notify = this.#carrier.notify
    if (token === undefined || notify === undefined || progress <= this.#lastProgress) return settled
    this.#lastProgress = progress
    const params = { progressToken: token, progress, total, message }
    return tell(notify, JSON.stringify({ jsonrpc: '2.0', method: 'notifications/progress', params }))
  }

  /** Nothing is sent for this call from now on. */
  finish(): void {
    this.#finished = true
  }
}

/** A carrier that fails to pass a notification on is no failure of the call. */
async function tell(notify: NonNullable<DispatchContext['notify']>, notification: string): Promise<void> {
  try {
    await notify(notification)
  } catch {
    return
  }
}
