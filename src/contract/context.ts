import type { Principal } from '../oauth/principal.js'

/** The host's logger, as Fastify's `request.log`. */
export interface Logger {
  debug(details: object, message?: string): void
  info(details: object, message?: string): void
  warn(details: object, message?: string): void
  error(details: object, message?: string): void
}

/** A step forward: `progress` must grow with every report, `total` may be unknown. */
export interface Progress {
  readonly progress: number
  readonly total?: number
  readonly message?: string
}

/** Values taken from the URL of the endpoint, such as `/organizations/:organization/mcp`. */
export type RouteValues = Readonly<Record<string, string>>

/** What a handler gets besides its input. */
export interface HandlerContext<Who = Principal | undefined, Route = RouteValues, Input = unknown> {
  /** Who is calling, as the resource server verified it. */
  readonly principal: Who
  /** Aborts when the caller is gone (2026-07-28), the server stops, or a question ends this round. */
  readonly signal: AbortSignal
  readonly log: Logger
  readonly route: Route
  /** The revision the caller speaks; for diagnostics only. */
  readonly protocol: string
  /**
   * Tells the caller how far the work is; does nothing when it did not ask. A value that is not greater than the last
   * one is dropped. Resolves when the connection takes more. Throws `RangeError` for a number that is not finite.
   */
  readonly progress: (step: Progress) => Promise<void>
  /** Asks the user for what the definition declares as `inputs`; undefined when it declares none. */
  readonly input: Input
}

/** What a resource handler gets: the URI that was asked for. */
export interface ResourceContext<
  Who = Principal | undefined,
  Route = RouteValues,
  Input = unknown,
> extends HandlerContext<Who, Route, Input> {
  readonly uri: string
}
