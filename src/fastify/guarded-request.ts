import type { FastifyRequest } from 'fastify'
import type { GuardedRequest } from '../resource-server/guard.js'

/** What the guard needs to know of a request that clients send to `target`, an absolute URL without query. */
export function guardedRequest({ raw }: FastifyRequest, target: string): GuardedRequest {
  return {
    authorization:
      raw.headers.authorization === undefined ? none : headerLines(raw.rawHeaders, 'authorization'),
    proofs: raw.headers['dpop'] === undefined ? none : headerLines(raw.rawHeaders, 'dpop'),
    url: raw.url ?? '/',
    method: raw.method ?? '',
    target,
    message: raw,
  }
}

const none: readonly string[] = Object.freeze([])

/** Node keeps only the first of several `Authorization` headers and joins others, so lines come from the raw list. */
function headerLines(rawHeaders: readonly string[], name: string): readonly string[] {
  const lines: string[] = []
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const field = rawHeaders[i] ?? ''
    if (field.length === name.length && field.toLowerCase() === name) lines.push(rawHeaders[i + 1] ?? '')
  }
  return lines
}
