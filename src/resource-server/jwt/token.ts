import type { JWSHeaderParameters } from 'jose'
import { maxTokenLength } from '../../oauth/credentials.js'
import { parseStrictObject } from '../../oauth/strict-json.js'
import type { RefusalReason } from '../resource-server.js'

/** The two halves of a signed JWT, read but not yet believed. */
export interface UnverifiedToken {
  readonly header: JWSHeaderParameters
  readonly claims: Readonly<Record<string, unknown>>
}

/** Which headers a resource server reads on from. */
export interface HeaderRules {
  readonly algorithms: ReadonlySet<string>
  /** Media types in lower case, without `application/`. */
  readonly types: ReadonlySet<string>
  readonly allowMissingType: boolean
}

const maxHeaderBytes = 2_048
const maxKeyIdLength = 256
const segment = /^[A-Za-z0-9_-]+$/

/**
 * Reads a compact JWS without verifying it and checks its header.
 *
 * Anything but three base64url parts with unambiguous JSON objects is `malformed`, and so is any critical
 * extension, an unencoded payload or more than 16 KiB. Key material in the header is never looked at. RFC 7515
 * §4.1, RFC 8725 §3.
 */
export function readToken(token: string, rules: HeaderRules): UnverifiedToken | RefusalReason {
  if (token.length > maxTokenLength) return 'malformed'
  const parts = token.split('.', 4)
  const [encodedHeader = '', encodedClaims = ''] = parts
  if (parts.length !== 3 || !parts.every((part) => segment.test(part))) return 'malformed'
  const header = decodeObject(encodedHeader, maxHeaderBytes)
  if (header === undefined) return 'malformed'
  const problem = headerProblem(header, rules)
  if (problem !== undefined) return problem
  const claims = decodeObject(encodedClaims, Infinity)
  return claims === undefined ? 'malformed' : { header, claims }
}

/** The media type of a `typ` value: lower case, without `application/` (RFC 7515 §4.1.9). */
export function mediaType(typ: string): string {
  return typ.toLowerCase().replace(/^application\//, '')
}

function headerProblem(header: Record<string, unknown>, rules: HeaderRules): RefusalReason | undefined {
  const { alg, typ, kid } = header
  if (typeof alg !== 'string' || !rules.algorithms.has(alg)) return 'algorithm'
  if ('crit' in header || 'b64' in header) return 'malformed'
  if (kid !== undefined && (typeof kid !== 'string' || kid.length > maxKeyIdLength)) return 'malformed'
  if (typ === undefined) return rules.allowMissingType ? undefined : 'type'
  return typeof typ === 'string' && rules.types.has(mediaType(typ)) ? undefined : 'type'
}

function decodeObject(encoded: string, maxBytes: number): Record<string, unknown> | undefined {
  const bytes = Buffer.from(encoded, 'base64url')
  if (bytes.length > maxBytes) return undefined
  try {
    return parseStrictObject(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes))
  } catch {
    return undefined
  }
}
