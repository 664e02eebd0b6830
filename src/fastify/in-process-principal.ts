import type { IncomingMessage } from 'node:http'
import type { FastifyInstance, InjectOptions, LightMyRequestResponse } from 'fastify'
import type { Principal } from '../oauth/principal.js'

/** Principals on their way to one injected request each, by the signal that only this request carries. */
const handedOver = new WeakMap<object, Principal>()

/**
 * Injects a request that the guard of its route takes for one of `principal`, without any token; the scopes of the
 * route still apply, and so does every hook of the app.
 *
 * The principal belongs to exactly this request: no other one, whether from the network or injected by a handler on
 * the way, can have it, and no header tells of it.
 */
export async function injectAs(
  app: Pick<FastifyInstance, 'inject'>,
  principal: Principal,
  options: InjectOptions,
): Promise<LightMyRequestResponse> {
  const signal = AbortSignal.any(options.signal === undefined ? [] : [options.signal as AbortSignal])
  handedOver.set(signal, principal)
  try {
    return await app.inject({ ...options, signal })
  } finally {
    handedOver.delete(signal)
  }
}

/** The principal that was handed over with this very request; given once. */
export function takePrincipal(raw: IncomingMessage): Principal | undefined {
  const { signal } = (raw as InjectedMessage)._lightMyRequest ?? {}
  if (signal === undefined) return undefined
  const principal = handedOver.get(signal)
  handedOver.delete(signal)
  return principal
}

/** An injected request keeps the signal it was made with; messages from a socket have nothing of the kind. */
interface InjectedMessage extends IncomingMessage {
  readonly _lightMyRequest?: { readonly signal?: object }
}
