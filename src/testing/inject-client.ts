import { callerOver } from '../client/engine/caller-over.js'
import type { CallerOptions } from '../client/caller-options.js'
import { createClient, type Client } from '../client/typed/client.js'
import { injectChannel, type InjectChannelOptions, type InjectedApp } from './inject-channel.js'

/** Options of `injectClient`; `clientInfo` may be left out in a test. */
export type InjectClientOptions = InjectChannelOptions & Partial<CallerOptions>

const clientInfo = { name: 'castellan-inject-client', version: '1.0.0' }

/**
 * A client of an app that listens nowhere: every request passes the app's hooks and guard, through `app.inject`. A token
 * goes in `headers: { authorization: 'Bearer …' }`. Throws `ERR_OPTION`.
 */
export function injectClient(app: InjectedApp, options: InjectClientOptions): Client {
  return createClient(callerOver(injectChannel(app, options), { clientInfo, ...options }))
}
