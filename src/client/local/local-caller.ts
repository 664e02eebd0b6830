import type { McpCaller } from '../caller.js'
import { callerOver } from '../engine/caller-over.js'
import type { CallerOptions } from '../caller-options.js'
import { localChannel, type LocalChannelOptions } from './local-channel.js'

/** Options of `localCaller`. Nothing is ever repeated, so there is no retry policy. */
export type LocalCallerOptions = Omit<CallerOptions, 'retry'> & LocalChannelOptions

/**
 * Calls a server in this process as the principal that is given, without a network and past the guard: whoever has the
 * server is trusted to say who calls. Messages are the same as over HTTP. Throws `ERR_OPTION`.
 */
export function localCaller(options: LocalCallerOptions): McpCaller {
  return callerOver(localChannel(options), options)
}
