import { hash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { Verification } from './resource-server.js'

/** A verification with the facts that end its life in the cache. */
export interface Verified {
  readonly verification: Verification
  /** Milliseconds since the epoch; absent for what must not be kept. */
  readonly validUntil?: number
  /** The key set it was verified with. */
  readonly generation?: number
}

export interface TokenCacheSettings {
  /** Most tokens kept. */
  readonly maxTokens: number
  /** Longest time one token is kept. */
  readonly maxMilliseconds: number
  readonly now: () => number
  /** The present key set; a token verified with another one is verified anew. */
  readonly generation: () => number
  /** The name a token is kept under, from which nobody gets the token. Default its SHA-256. */
  readonly keyOf?: (token: string) => string
}

/**
 * Wraps a verifier: a token verified before is answered at once with the same object, and a token being verified
 * is not verified a second time meanwhile. Tokens are kept as digests only, refusals not at all.
 */
export function cachedVerifier(
  verify: (token: string) => Promise<Verified>,
  settings: TokenCacheSettings,
): (token: string) => Verification | Promise<Verification> {
  const cache = new LRUCache<string, Verified>({ max: settings.maxTokens })
  const { keyOf = sha256 } = settings
  const underWay = new Map<string, Promise<Verification>>()

  async function verifyOnce(token: string, key: string): Promise<Verification> {
    try {
      const verified = await verify(token)
      const { verification, validUntil } = verified
      if (validUntil !== undefined) {
        cache.set(key, {
          ...verified,
          validUntil: Math.min(validUntil, settings.now() + settings.maxMilliseconds),
        })
      }
      return verification
    } finally {
      underWay.delete(key)
    }
  }

  return (token) => {
    const key = keyOf(token)
    const kept = cache.get(key)
    if (
      kept?.validUntil !== undefined &&
      settings.now() < kept.validUntil &&
      kept.generation === settings.generation()
    ) {
      return kept.verification
    }
    const running = underWay.get(key) ?? verifyOnce(token, key)
    underWay.set(key, running)
    return running
  }
}

function sha256(token: string): string {
  return hash('sha256', token, 'base64')
}
