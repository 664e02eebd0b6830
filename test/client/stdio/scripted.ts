import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Channel, ChannelNotification, ChannelRequest } from '../../../src/client/channel.js'
import {
  stdioChannel,
  type StdioChannel,
  type StdioChannelOptions,
} from '../../../src/client/stdio/stdio-channel.js'

export const fixture = (name: string) => join(import.meta.dirname, 'fixtures', name)

const open = new Set<Channel>()
let lastId = 0

/** A channel to the scripted server, closed by `closeAll`. */
export function scripted(options: Partial<StdioChannelOptions> = {}, ...args: string[]): StdioChannel {
  return opened(
    stdioChannel({ command: process.execPath, args: [fixture('scripted-server.mjs'), ...args], ...options }),
  )
}

export function opened(channel: StdioChannel): StdioChannel {
  open.add(channel)
  return channel
}

/** Asks every server to end, and at once. */
export async function closeAll(): Promise<void> {
  await Promise.all([...open].map((channel) => channel.close({ signal: AbortSignal.abort() })))
  open.clear()
}

export type Extras = Partial<Pick<ChannelRequest, 'id' | 'signal' | 'onNotification'>>

/** One request, with an id of its own. */
export function send(
  channel: Channel,
  method: string,
  params: Record<string, unknown> = {},
  extras: Extras = {},
): Promise<any> {
  return channel.request({ id: `r-${++lastId}`, method, params, headers: {}, ...extras })
}

/** The rejection of a promise that must not resolve. */
export async function rejection(promise: Promise<unknown>): Promise<any> {
  return promise.then(
    (value) => {
      throw new Error(`resolved with ${JSON.stringify(value)}`)
    },
    (reason: unknown) => reason,
  )
}

/** Params of a request that wants progress, and what it is told. */
export function progressing(token: string | number, params: Record<string, unknown> = {}) {
  const told: ChannelNotification[] = []
  return {
    params: { ...params, _meta: { progressToken: token } },
    told,
    onNotification: (notification: ChannelNotification) => void told.push(notification),
    values: () => told.map(({ params: { progress } }) => progress),
  }
}

/** Whether a process runs; one that has ended but was not reaped by its parent does not. */
export function lives(pid: number): boolean {
  try {
    const status = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return !/^\d+ \(.*\) [ZX]/s.test(status)
  } catch {
    return false
  }
}

/** Resolves when a process that is not a child of this one is gone; the test's own time limit bounds it. */
export async function gone(pid: number): Promise<void> {
  while (lives(pid)) await new Promise((resolve) => setTimeout(resolve, 10))
}
