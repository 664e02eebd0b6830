/** One POST to the URL an exchange is bound to. */
export interface HttpPost {
  /** By lower-case name; values are legal field values. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  /** Stops the exchange at any time, the body of the answer included. */
  readonly signal?: AbortSignal | undefined
}

/** What came back, as soon as its headers are there. The body is read once, or let go of with `cancel`. */
export interface HttpAnswer {
  readonly status: number
  /** The value of a field by lower-case name, several lines joined with `, `. */
  header(name: string): string | undefined
  /** Every `WWW-Authenticate` line, as received. */
  readonly wwwAuthenticate: readonly string[]
  /** Rejects with the signal's reason or with what the network said; leaving the loop early cancels. */
  readonly body: AsyncIterable<Uint8Array>
  /** Lets go of what is left: a body about to end keeps its connection usable, any other is cut. Never blocks. */
  cancel(): void
}

/**
 * Sends requests to one URL; what adds authorization wraps it. Redirects are never followed, no content coding is asked
 * for, and nothing is sent twice.
 */
export interface HttpExchange {
  /** Rejects with `ExchangeError` or `UnrunError`; whatever else it rejects with is taken for a failure after sending. */
  send(post: HttpPost): Promise<HttpAnswer>
  /** Cuts what is under way. Idempotent. */
  close(): Promise<void>
}

/** No answer came. `sent` tells whether the server may have seen any of the request; `cause` is why. */
export class ExchangeError extends Error {
  override readonly name = 'ExchangeError'
  readonly sent: boolean

  constructor(sent: boolean, cause: unknown) {
    super(sent ? 'The answer was lost' : 'Nothing was sent', { cause })
    this.sent = sent
  }
}

/** What wraps an exchange could not send, or was refused: the request certainly did not run. The caller is told `cause`. */
export class UnrunError extends Error {
  override readonly name = 'UnrunError'

  constructor(cause: unknown) {
    super('The request did not run', { cause })
  }
}
