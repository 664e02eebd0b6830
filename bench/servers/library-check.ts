import { createHash } from 'node:crypto'
import { createLocalJWKSet, decodeProtectedHeader, importJWK, jwtVerify } from 'jose'
import { Pool } from 'undici'
import { issuer, resource } from '../workload.js'

type Check = (token: string, proof?: unknown) => Promise<boolean>

/** What the libraries alone make of a token: the limit for whoever is built on them. */
export function libraryCheck(kind: string, endpoint: string): Check {
  if (kind === 'introspection') return introspecting(endpoint)
  if (kind === 'introspection-cached') return remembering(introspecting(endpoint))
  const isJwt = joseCheck()
  if (kind !== 'dpop') return isJwt
  return async (token, proof) => (await isJwt(token)) && (await isProof(token, String(proof)))
}

function joseCheck(): Check {
  const keys = createLocalJWKSet({ keys: JSON.parse(process.env['BENCH_KEYS'] ?? '') })
  const algorithms = ['ES256', 'RS256', 'EdDSA']
  return async (token) =>
    jwtVerify(token, keys, { issuer, audience: resource, algorithms }).then(
      () => true,
      () => false,
    )
}

async function isProof(token: string, proof: string): Promise<boolean> {
  const { jwk } = decodeProtectedHeader(proof)
  const key = await importJWK(jwk ?? {}, 'ES256')
  const { payload } = await jwtVerify(proof, key, { typ: 'dpop+jwt', algorithms: ['ES256'] })
  return payload['ath'] === createHash('sha256').update(token).digest('base64url')
}

function introspecting(endpoint: string): Check {
  const { origin, pathname } = new URL(endpoint)
  const pool = new Pool(origin, { connections: 64 })
  const headers = {
    accept: 'application/json',
    authorization: 'Basic YmVuY2g6YmVuY2g=',
    'content-type': 'application/x-www-form-urlencoded',
  }
  return async (token) => {
    const form = new URLSearchParams({ token, token_type_hint: 'access_token' })
    const { body } = await pool.request({ path: pathname, method: 'POST', headers, body: form.toString() })
    const answer = (await body.json()) as { active?: unknown; aud?: unknown }
    return answer.active === true && answer.aud === resource
  }
}

function remembering(check: Check): Check {
  const known = new Set<string>()
  return async (token) => {
    const digest = createHash('sha256').update(token).digest('base64')
    if (!known.has(digest) && (await check(token))) known.add(digest)
    return known.has(digest)
  }
}
