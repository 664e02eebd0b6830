import { Pool } from 'undici'
import { meta, modern } from '../../wire.js'

/** What came back of one call of a tool. */
export interface CallAnswer {
  readonly status: number
  readonly challenge: string | undefined
  readonly retryAfter: string | undefined
  readonly text: string
}

/** Calls tools of one server over kept connections. */
export interface ToolCaller {
  call(token: string, name: string, options?: CallOptions): Promise<CallAnswer>
  close(): Promise<void>
}

export interface CallOptions {
  readonly signal?: AbortSignal
  /** Asks for progress, so that the answer is an event stream. */
  readonly progressToken?: number
}

export function toolCaller(url: string, connections: number): ToolCaller {
  const { origin, pathname } = new URL(url)
  const pool = new Pool(origin, { connections })
  return {
    async call(token, name, { signal, progressToken } = {}) {
      const extra = progressToken === undefined ? {} : { progressToken }
      const request = modern('tools/call', { name, arguments: {}, _meta: meta(extra) })
      const { statusCode, headers, body } = await pool.request({
        path: pathname,
        method: 'POST',
        headers: { ...request.headers, authorization: `Bearer ${token}` },
        body: JSON.stringify(request.body),
        ...(signal && { signal }),
      })
      const header = (name: string) => headers[name]?.toString()
      const text = await body.text()
      return {
        status: statusCode,
        challenge: header('www-authenticate'),
        retryAfter: header('retry-after'),
        text,
      }
    },
    close: () => pool.destroy(),
  }
}

/** Runs one asynchronous step for each number below `count`, `width` at a time. */
export async function inParallel(
  count: number,
  width: number,
  step: (n: number) => Promise<void>,
): Promise<void> {
  let next = 0
  const lane = async () => {
    while (next < count) {
      next += 1
      await step(next - 1)
    }
  }
  await Promise.all(Array.from({ length: width }, lane))
}
