/** The folders a client works in. */
export interface Roots {
  readonly kind: 'roots'
}

/** A folder as the client tells it; informational, no boundary. */
export interface Root {
  /** Begins with `file://`. */
  readonly uri: string
  readonly name?: string
}

const request: Roots = Object.freeze({ kind: 'roots' })

/**
 * Declares a question for the client's folders.
 *
 * @deprecated by MCP 2026-07-28: take paths as arguments of the tool.
 */
export function roots(): Roots {
  return request
}
