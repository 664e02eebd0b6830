import { hash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { UpstreamToken } from './answer.js'

const mostKept = 1_000
const longestSeconds = 300
/** A token is not given out in its last seconds, since a request with it takes some. */
const reserveSeconds = 10

/**
 * Exchanges each caller's token once for all who wait, and keeps the result for 5 minutes at most, never beyond the life
 * of either token. Failures are not kept.
 */
export function upstreamTokens(
  exchange: (callerToken: string) => Promise<UpstreamToken>,
  now: () => number,
): (callerToken: string, callerExpiresAt: number) => Promise<UpstreamToken> {
  const kept = new LRUCache<string, { readonly token: UpstreamToken; readonly until: number }>({
    max: mostKept,
  })
  const underWay = new Map<string, Promise<UpstreamToken>>()

  async function exchangeOnce(callerToken: string, key: string, callerExpiresAt: number) {
    try {
      const token = await exchange(callerToken)
      const end = Math.min((token.expiresAt ?? 0) - reserveSeconds, callerExpiresAt, now() + longestSeconds)
      if (end > now()) kept.set(key, { token, until: end })
      return token
    } finally {
      underWay.delete(key)
    }
  }

  return (callerToken, callerExpiresAt) => {
    const key = hash('sha256', callerToken, 'base64')
    const entry = kept.get(key)
    if (entry !== undefined && now() < entry.until) return Promise.resolve(entry.token)
    const running = underWay.get(key) ?? exchangeOnce(callerToken, key, callerExpiresAt)
    underWay.set(key, running)
    return running
  }
}
