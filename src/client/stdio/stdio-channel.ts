import { DefinitionError } from '../../errors.js'
import type { Channel, ChannelRequest } from '../channel.js'
import { InternalClientError } from '../errors.js'
import type { JsonObject } from '../../protocol/json.js'
import { Connection } from './connection.js'
import { ServerProcess, type ServerCommand } from './server-process.js'

export interface StdioChannelOptions extends ServerCommand {
  /** The longest line the server may write; 16 MiB when left out. A longer one ends the channel. */
  readonly maxLineBytes?: number
  /** Lines on stdout that are no message, such as a greeting; at most their first 1,024 characters. */
  readonly onStrayLine?: (line: string) => void
  /** Bounds the start only; a channel that has started does not look at it. */
  readonly signal?: AbortSignal
}

/** A channel to a process this one started. */
export interface StdioChannel extends Channel {
  /** Resolves when the program runs; rejects as every request does when it cannot be started. */
  started(): Promise<void>
}

/**
 * Starts a program and speaks with it over its pipes, one JSON message per line (MCP 2026-07-28, stdio). It ends with
 * `close`, and at the latest with this process.
 *
 * Throws `DefinitionError` for wrong options only: a program that cannot be started rejects every request with
 * `InternalClientError`. Once the process is gone, requests under way reject with `OutcomeUnknownError` and later ones
 * with `ConnectionLostError`, nothing having been sent; after `close` it is `InternalClientError`. A process is not
 * started again.
 */
export function stdioChannel(options: StdioChannelOptions): StdioChannel {
  const { command, maxLineBytes = 16 * 1024 * 1024, signal } = options
  if (typeof command !== 'string' || command === '') {
    throw new DefinitionError('`command` must name a program', 'ERR_OPTION')
  }
  if (!Number.isSafeInteger(maxLineBytes) || maxLineBytes < 1) {
    throw new DefinitionError('`maxLineBytes` must be a whole number, 1 or more', 'ERR_OPTION')
  }
  if (signal?.aborted === true) return unstarted(() => signal.reason as Error)
  try {
    return new ProcessChannel(options, maxLineBytes)
  } catch (cause) {
    const message = `The server process could not be started: ${command}`
    return unstarted(() => new InternalClientError(message, { cause }))
  }
}

class ProcessChannel implements StdioChannel {
  readonly #process: ServerProcess
  readonly #connection: Connection
  readonly #started: Promise<void>

  constructor(options: StdioChannelOptions, maxLineBytes: number) {
    this.#process = new ServerProcess(options)
    this.#connection = new Connection(this.#process, maxLineBytes, options.onStrayLine)
    this.#started = this.#start(options.signal)
    this.#started.catch(() => undefined)
  }

  started(): Promise<void> {
    return this.#started
  }

  async request(request: ChannelRequest): Promise<JsonObject> {
    request.signal?.throwIfAborted()
    const text = messageText(request)
    await this.#started
    return this.#connection.request(request, text)
  }

  async close(options: { readonly signal?: AbortSignal } = {}): Promise<void> {
    this.#connection.close()
    await this.#process.stop(options.signal)
  }

  async #start(signal: AbortSignal | undefined): Promise<void> {
    await this.#process.started()
    if (signal?.aborted !== true) return
    void this.close({ signal })
    throw signal.reason
  }
}

function messageText({ id, method, params }: ChannelRequest): string {
  try {
    return JSON.stringify({ jsonrpc: '2.0', id, method, params })
  } catch (cause) {
    throw new InternalClientError('The parameters cannot be written as JSON', { cause })
  }
}

/** Nothing runs, and everything says why. */
function unstarted(reason: () => Error): StdioChannel {
  const refuse = () => Promise.reject(reason())
  return { started: refuse, request: refuse, close: () => Promise.resolve() }
}
