import type { IncomingMessage } from 'node:http'
import type { FastifyInstance, InjectOptions, LightMyRequestResponse } from 'fastify'
import type { Principal } from '../oauth/principal.js'
import type { ResourceServer } from '../resource-server/resource-server.js'

/** Who is asking, as this very resource server established it; nobody else can tell what the principal is worth. */
export interface Caller {
  readonly principal: Principal
  readonly auth: ResourceServer
}

/** What is handed over with a request that is made in process. */
export interface Luggage {
  /** For whom a guard with the same `auth` takes it, without any token; the scopes of the route still apply. */
  readonly caller?: Caller | undefined
  /** The only route it may reach. */
  readonly route?: KeptRoute
}

interface KeptRoute {
  readonly method: string
  readonly url: string
  /** How long its caller waits. */
  readonly signal: AbortSignal
}

/** Luggage on its way to one injected request each, by the signal that only this request carries. */
const handedOver = new WeakMap<object, Luggage>()

/**
 * Injects a request with luggage; every hook of the app runs.
 *
 * The luggage belongs to exactly this request: no other one, whether from the network or injected by a handler on the
 * way, can have it, and no header tells of it.
 */
export async function injectWith(
  app: Pick<FastifyInstance, 'inject'>,
  luggage: Luggage,
  options: InjectOptions,
): Promise<LightMyRequestResponse> {
  const signal = AbortSignal.any(options.signal === undefined ? [] : [options.signal as AbortSignal])
  handedOver.set(signal, luggage)
  try {
    return await app.inject({ ...options, signal })
  } finally {
    handedOver.delete(signal)
  }
}

/** A piece of what was handed over with this very request; each is given once. */
export function take<Piece extends keyof Luggage>(
  raw: IncomingMessage,
  piece: Piece,
): Luggage[Piece] | undefined {
  const { signal } = (raw as InjectedMessage)._lightMyRequest ?? {}
  const luggage = signal && handedOver.get(signal)
  if (signal === undefined || luggage === undefined) return undefined
  const { [piece]: taken, ...rest } = luggage
  handedOver.set(signal, rest)
  return taken
}

/** An injected request keeps the signal it was made with; messages from a socket have nothing of the kind. */
interface InjectedMessage extends IncomingMessage {
  readonly _lightMyRequest?: { readonly signal?: object }
}
