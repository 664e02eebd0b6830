import type { Awaitable } from '../contract/access.js'
import type { WireError } from '../errors.js'
import type { ScopeAlternatives } from '../oauth/scope.js'
import type { JsonObject } from '../protocol/json.js'
import type { ResultBody } from '../protocol/revision.js'
import type { Call } from './call.js'
import type { LongAnswer, OpenAnswer, Outlet } from './subscriptions/outlet.js'

/** A result whose JSON was written before, for many callers. */
export class PreparedResult {
  readonly bytes: Buffer

  constructor(json: string) {
    this.bytes = Buffer.from(json)
  }
}

/** An answer that goes on, with the JSON text of the request's id in its messages. */
export class StreamedAnswer {
  readonly #open: (id: string, outlet: Outlet) => LongAnswer

  constructor(open: (id: string, outlet: Outlet) => LongAnswer) {
    this.#open = open
  }

  to(id: string): OpenAnswer {
    return (outlet) => this.#open(id, outlet)
  }
}

/** One method of the protocol as the dispatcher knows it. */
export interface Method {
  /** The parameter that the `Mcp-Name` header repeats. */
  readonly nameParameter?: string
  /** The extension a client must have declared to call this. */
  readonly extension?: string
  /** The scopes of the thing that is asked for; undefined for the server's basic scopes. */
  scopes?(params: JsonObject): ScopeAlternatives | undefined
  /** The declared name of the thing that is asked for; undefined where nothing declared is. */
  named?(params: JsonObject): string | undefined
  /** What a caller is told that must not learn of the thing; without it, that the method does not exist. */
  unknown?(params: JsonObject): WireError
  run(call: Call): Awaitable<ResultBody | PreparedResult | StreamedAnswer>
}
