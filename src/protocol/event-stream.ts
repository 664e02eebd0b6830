/** One server-sent event holding a JSON-RPC message on a single line; never an `id`, since nothing is replayed. */
export function eventFrame(message: string): string {
  return `event: message\ndata: ${message}\n\n`
}

/** Headers of an event stream; proxies must neither buffer nor transform it. */
export const eventStreamHeaders = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
} as const
