import type { TokenKind } from './credentials.js'

/** A program under test. */
export interface Contender {
  readonly file: string
  readonly args: readonly string[]
}

interface Row {
  readonly name: string
  readonly title: string
  /** The rows this one is compared with; the first gives the row's `ratio`. */
  readonly against: readonly string[]
}

/** A server that answers as many requests per second as it can. */
export interface LoadRow extends Row {
  readonly kind: 'load'
  readonly contender: Contender
  readonly method: 'tools/call' | 'tools/list'
  /** A token of its own for each connection, of this kind. Default one of `ES256` for all. */
  readonly token?: TokenKind
}

/** A client that calls a fixed server as often as it can. */
export interface CallsRow extends Row {
  readonly kind: 'calls'
  readonly contender: Contender
  /** Calls that wait for their answers at the same time. */
  readonly inFlight: number
}

/** A server that starts, answers one call and rests: how long that takes, and how much memory it holds then. */
export interface StartRow extends Row {
  readonly kind: 'start'
  readonly contender: Contender
}

/** A package that is imported and bundled: how long that takes, and how large the bundle is. */
export interface PackageRow extends Row {
  readonly kind: 'package'
  readonly specifier: string
}

export type BenchRow = LoadRow | CallsRow | StartRow | PackageRow
