import type { GuardedHttp, Trust } from '../../network/guarded-http.js'
import type { HttpOutcome } from '../../network/http-outcome.js'
import type { AdvanceOn } from '../../oauth/registration/quirks.js'
import { parseStrictObject } from '../../oauth/strict-json.js'
import { AuthorizationUnavailableError, DiscoveryError } from '../errors.js'
import { retryAfterSeconds } from '../token/retry-after.js'

/** What reads metadata documents, and how far a URL is trusted. */
export interface MetadataSource {
  readonly http: GuardedHttp
  readonly trust: Trust
  readonly advanceOn?: readonly AdvanceOn[] | undefined
  readonly signal?: AbortSignal | undefined
}

/** Whose metadata, for messages. */
export type MetadataOf = 'resource' | 'authorization server'

const maxBytes = 65_536
const jsonType = /^application\/(?:[\w.+-]+\+)?json *(?:;|$)/i

/**
 * Reads the first document that is there, strictly: JSON by its media type, at most 64 KiB, no member given twice.
 *
 * Only 404 and what `advanceOn` adds make it go to the next place. Undefined when there is none. Throws `DiscoveryError`,
 * and `AuthorizationUnavailableError` when nothing can be said now; neither holds a word of an answer.
 */
export async function readFirstDocument(
  of: MetadataOf,
  urls: readonly string[],
  source: MetadataSource,
): Promise<{ readonly url: string; readonly document: Readonly<Record<string, unknown>> } | undefined> {
  for (const url of urls) {
    const { http, trust, advanceOn = [], signal } = source
    const outcome = await http.send({ url, maxBytes, signal }, trust)
    signal?.throwIfAborted()
    if (!outcome.ok) throw failure(`${metadataAt(of, url)} cannot be read`, outcome)
    const { status } = outcome
    if (status === 404 || advanceOn.some((reason) => reason === status)) continue
    if (status !== 200) throw refusal(metadataAt(of, url), outcome)
    const document = jsonObject(outcome)
    if (document !== undefined) return { url, document }
    if (!advanceOn.includes('not-json'))
      throw new DiscoveryError(`${metadataAt(of, url)} is not a JSON object`)
  }
  return undefined
}

/** Names a document by whose it is and its host only. */
export function metadataAt(of: MetadataOf, url: string): string {
  return `The metadata of the ${of} at ${URL.canParse(url) ? new URL(url).host : 'an invalid address'}`
}

const wrong = new Map([
  ['refused', 'the address is not one that may be reached'],
  ['redirect', 'redirects are not followed'],
  ['size', 'it is larger than 64 KiB'],
])

function failure(what: string, { fault }: HttpOutcome & { ok: false }): Error {
  const reason = wrong.get(fault)
  return reason === undefined
    ? new AuthorizationUnavailableError(`${what} now`)
    : new DiscoveryError(`${what}: ${reason}`)
}

function refusal(what: string, { status, headers }: HttpOutcome & { ok: true }): Error {
  const text = `${what} was answered with HTTP status ${status}`
  if (status !== 429 && status < 500) return new DiscoveryError(text)
  return new AuthorizationUnavailableError(text, retryAfterSeconds(headers['retry-after']))
}

function jsonObject({ headers, body }: HttpOutcome & { ok: true }): Record<string, unknown> | undefined {
  if (!jsonType.test(headers['content-type'] ?? '')) return undefined
  try {
    return parseStrictObject(new TextDecoder('utf-8', { fatal: true }).decode(body))
  } catch {
    return undefined
  }
}
