import type { McpCaller } from '../caller.js'
import { callerOver } from '../engine/caller-over.js'
import type { CallerOptions } from '../caller-options.js'
import { stdioChannel, type StdioChannelOptions } from './stdio-channel.js'

/** Options of `stdioCaller`. Nothing is ever repeated, so there is no retry policy. */
export type StdioCallerOptions = Omit<CallerOptions, 'retry'> & StdioChannelOptions

/**
 * Starts an MCP server as a process and calls it over its pipes. Resolves when the program runs; `close` ends it.
 * Rejects with `InternalClientError` for a program that cannot be started. MCP 2026-07-28, stdio.
 */
export async function stdioCaller(options: StdioCallerOptions): Promise<McpCaller> {
  const channel = stdioChannel(options)
  try {
    const caller = callerOver(channel, options)
    await channel.started()
    return caller
  } catch (error) {
    await channel.close()
    throw error
  }
}
