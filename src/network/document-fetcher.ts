import type { Agent } from 'undici'

/** What came back: a JSON object, or the step that failed. Never holds anything the other side wrote. */
export type FetchedDocument =
  | { readonly ok: true; readonly document: Readonly<Record<string, unknown>> }
  | { readonly ok: false; readonly fault: DocumentFault; readonly status?: number }

type DocumentFault = 'unreachable' | 'timeout' | 'redirect' | 'status' | 'size' | 'json'

/** Reads JSON documents over pooled connections. */
export interface DocumentFetcher {
  /** Never rejects. */
  get(url: string): Promise<FetchedDocument>
  /** Aborts what is under way and closes the pool. */
  close(): Promise<void>
}

/** Limits of one read. */
export interface DocumentLimits {
  /** For the whole exchange with the body. Default 5,000 ms. */
  readonly timeoutMilliseconds?: number
  /** Largest body. Default 262,144 bytes. */
  readonly maxBytes?: number
}

/**
 * Makes a reader of JSON documents with its own connection pool.
 *
 * A redirect is a failure and is never followed; the content type does not matter; no content coding is asked
 * for. The pool keeps no process alive.
 */
export function documentFetcher(limits: DocumentLimits = {}): DocumentFetcher {
  const { timeoutMilliseconds = 5_000, maxBytes = 262_144 } = limits
  const pool = agentOnDemand()
  return {
    async get(url) {
      const signal = AbortSignal.timeout(timeoutMilliseconds)
      try {
        return await readDocument(await pool.open(), url, signal, maxBytes)
      } catch {
        return { ok: false, fault: signal.aborted ? 'timeout' : 'unreachable' }
      }
    },
    close: () => pool.close(),
  }
}

/** Loads undici when the first document is read, since importing it is most of what starting costs. */
function agentOnDemand(): { open(): Promise<Agent>; close(): Promise<void> } {
  let agent: Promise<Agent> | undefined
  let isClosed = false
  return {
    open() {
      if (isClosed) return Promise.reject(new Error('The reader is closed'))
      return (agent ??= import('undici').then(({ Agent }) => new Agent({ connections: 4 })))
    },
    async close() {
      isClosed = true
      await (await agent)?.destroy()
    },
  }
}

async function readDocument(
  agent: Agent,
  url: string,
  signal: AbortSignal,
  maxBytes: number,
): Promise<FetchedDocument> {
  const { origin, pathname, search } = new URL(url)
  const headers = { accept: 'application/json' }
  const { statusCode, body } = await agent.request({
    origin,
    path: pathname + search,
    method: 'GET',
    headers,
    signal,
  })
  if (statusCode !== 200) {
    await body.dump({ limit: maxBytes, signal })
    return {
      ok: false,
      fault: statusCode >= 300 && statusCode < 400 ? 'redirect' : 'status',
      status: statusCode,
    }
  }
  const text = await readBounded(body, maxBytes)
  return text === undefined ? { ok: false, fault: 'size' } : parseDocument(text)
}

async function readBounded(body: AsyncIterable<Buffer>, maxBytes: number): Promise<Buffer | undefined> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of body) {
    size += chunk.length
    if (size > maxBytes) return undefined
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

function parseDocument(body: Buffer): FetchedDocument {
  try {
    const document: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body))
    return isObject(document) ? { ok: true, document } : { ok: false, fault: 'json' }
  } catch {
    return { ok: false, fault: 'json' }
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
