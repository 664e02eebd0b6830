import { boundedHttp, type HttpLimits } from './bounded-http.js'
import type { HttpFault, HttpOutcome } from './http-outcome.js'

/** What came back: a JSON object, or the step that failed. Never holds anything the other side wrote. */
export type FetchedDocument =
  | { readonly ok: true; readonly document: Readonly<Record<string, unknown>> }
  | { readonly ok: false; readonly fault: DocumentFault; readonly status?: number }

type DocumentFault = HttpFault | 'status' | 'json'

/** Reads JSON documents over pooled connections. */
export interface DocumentFetcher {
  /** Never rejects. */
  get(url: string): Promise<FetchedDocument>
  /** Aborts what is under way and closes the pool. */
  close(): Promise<void>
}

/** Makes a reader of JSON documents over `boundedHttp`; the content type of a document does not matter. */
export function documentFetcher(limits: HttpLimits = {}): DocumentFetcher {
  const http = boundedHttp(limits)
  return {
    get: async (url) => readDocument(await http.send({ url })),
    close: () => http.close(),
  }
}

function readDocument(outcome: HttpOutcome): FetchedDocument {
  if (!outcome.ok) return outcome
  const { status, body } = outcome
  if (status !== 200) return { ok: false, fault: 'status', status }
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
