/** Where a carrier lets a long answer out. Nothing is sent once the reader is gone. */
export interface Outlet {
  /** Sends one message. False when the reader is slow: what follows waits until `drained` is called. */
  send(message: string): boolean
  /** Shows an idle connection that somebody is there. */
  beat(): void
  /** Sends the response and ends. */
  end(response: string): void
  /** Ends at once, for a reader that takes nothing. */
  cut(): void
}

/** What a carrier tells a long answer. */
export interface LongAnswer {
  /** The reader takes more. */
  drained(): void
  /** The reader is gone, or has everything. Idempotent. */
  closed(): void
}

/** Begins a long answer; called exactly once, even if the reader is gone. */
export type OpenAnswer = (outlet: Outlet) => LongAnswer
