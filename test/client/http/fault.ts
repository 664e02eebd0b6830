import { answers, answersAndEnds } from './answers.js'
import type { Exchange, Script } from './scripted-server.js'

/** A way to fail, and how the request must end. */
export interface Fault {
  readonly name: string
  readonly script: Script
  readonly ends: string
  /** Progress handed over before. */
  readonly notified: readonly unknown[]
}

export function fault(name: string, ends: string, script: Script, notified: readonly unknown[] = []): Fault {
  return { name, script, ends, notified }
}

/** The server writes this answer and keeps the connection. */
export function told(
  name: string,
  ends: string,
  text: (exchange: Exchange) => string,
  notified: readonly unknown[] = [],
): Fault {
  return fault(name, ends, answers(text), notified)
}

/** The server writes this answer and ends the connection. */
export function lastTold(
  name: string,
  ends: string,
  text: (exchange: Exchange) => string,
  notified: readonly unknown[] = [],
): Fault {
  return fault(name, ends, answersAndEnds(text), notified)
}
