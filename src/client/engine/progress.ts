import type { ProgressUpdate, RequestOptions } from '../caller.js'
import type { ChannelNotification } from '../channel.js'
import { MalformedResponseError } from '../errors.js'

type OnProgress = NonNullable<RequestOptions['onProgress']>

/**
 * Reads the notifications of one request: progress has the request's token and only grows; anything else is passed
 * over. Throws `MalformedResponseError`. MCP 2026-07-28, basic, "Progress" (PROG-1, PROG-3).
 */
export function progressReader(
  token: string | undefined,
  onProgress: OnProgress | undefined,
): (notification: ChannelNotification) => Promise<void> {
  let last = -Infinity
  return async ({ method, params }) => {
    if (method !== 'notifications/progress') return
    if (token === undefined || params['progressToken'] !== token) {
      throw new MalformedResponseError('Progress was sent for an unknown token')
    }
    const update = readUpdate(params)
    if (update.progress <= last) throw new MalformedResponseError('Progress did not grow')
    last = update.progress
    await onProgress?.(update)
  }
}

function readUpdate({ progress, total, message }: ChannelNotification['params']): ProgressUpdate {
  if (typeof progress !== 'number' || !Number.isFinite(progress)) {
    throw new MalformedResponseError('`progress` must be a finite number')
  }
  if (total !== undefined && (typeof total !== 'number' || !Number.isFinite(total))) {
    throw new MalformedResponseError('`total` must be a finite number')
  }
  if (message !== undefined && typeof message !== 'string') {
    throw new MalformedResponseError('`message` must be a string')
  }
  return { progress, ...(total !== undefined && { total }), ...(message !== undefined && { message }) }
}
