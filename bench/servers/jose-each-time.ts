import { createLocalJWKSet, jwtVerify } from 'jose'
import { issuer, resource } from '../workload.js'

/** What a verifier made with `jose` usually is: every token is verified every time it comes. */
export function joseEachTime(): (token: string) => Promise<boolean> {
  const keys = createLocalJWKSet({ keys: JSON.parse(process.env['BENCH_KEYS'] ?? '') })
  return async (token) => {
    const verified = jwtVerify(token, keys, { issuer, audience: resource, algorithms: ['ES256'] })
    return verified.then(
      () => true,
      () => false,
    )
  }
}
