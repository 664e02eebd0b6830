import { z } from 'zod'
import { parseStrictObject } from '../../oauth/strict-json.js'
import type { IssuedToken } from './token-outcome.js'

/** What an authorization server does otherwise than the standards say; each is written out by the operator. */
export interface TokenAnswerQuirks {
  /** A missing `token_type` means Bearer. */
  readonly assumeBearer?: boolean
  /** The answer may be a form instead of JSON. */
  readonly acceptFormEncodedTokenResponse?: boolean
  /** How long a token is good for when the answer does not say. */
  readonly defaultExpiresInSeconds?: number
}

const maxLifetimeSeconds = 10 * 365 * 86_400
const headerSafe = /^[\x21-\x7e]+$/
const printable = /^[\x20-\x7e]+$/

/** What is no number says nothing, less than nothing is none, and what is longer than ten years is ten years. */
function lifetimeSeconds(value: unknown): number | undefined {
  const given = typeof value === 'string' && /^-?\d{1,15}$/.test(value) ? Number(value) : value
  if (typeof given !== 'number') return undefined
  return Math.min(Math.max(given, 0), maxLifetimeSeconds)
}
/** Anything else in the answer is not looked at and not kept. */
const answer = z.object({
  access_token: z.string().regex(headerSafe),
  token_type: z
    .string()
    .toLowerCase()
    .pipe(z.enum(['bearer', 'dpop']))
    .nullish(),
  expires_in: z.unknown().transform(lifetimeSeconds).optional(),
  refresh_token: z.string().regex(printable).or(z.literal('')).nullish(),
  scope: z.string().nullish(),
})

/**
 * Reads what a token endpoint answered with 200 (RFC 6749 §5.1, RFC 9449 §5). Undefined for anything but one object with a usable
 * token of exactly this type; members given twice are refused.
 */
export function readTokenAnswer(
  members: Readonly<Record<string, unknown>> | undefined,
  quirks: TokenAnswerQuirks,
  tokenType: IssuedToken['tokenType'],
): IssuedToken | undefined {
  const { success, data } = answer.safeParse(members)
  if (!success) return undefined
  const type = data.token_type ?? (quirks.assumeBearer === true ? 'bearer' : undefined)
  if (type !== tokenType.toLowerCase()) return undefined
  const expiresInSeconds = data.expires_in ?? quirks.defaultExpiresInSeconds
  return {
    accessToken: data.access_token,
    tokenType,
    ...(data.refresh_token && { refreshToken: data.refresh_token }),
    ...(expiresInSeconds !== undefined && { expiresInSeconds }),
    ...(typeof data.scope === 'string' && { scope: data.scope.split(' ').filter((scope) => scope !== '') }),
  }
}

/** The members of an answer of any status: of a JSON object, or of a form where that is allowed. */
export function answerMembers(
  body: Uint8Array,
  contentType: string | undefined,
  { acceptFormEncodedTokenResponse = false }: TokenAnswerQuirks,
): Readonly<Record<string, unknown>> | undefined {
  const text = decoded(body)
  if (text === undefined) return undefined
  if (acceptFormEncodedTokenResponse && isForm(contentType)) return formMembers(text)
  return parseStrictObject(text)
}

/** The `error` of an answer, when it is written as RFC 6749 §5.2 has codes: anything else could repeat what was sent. */
export function errorCode(members: Readonly<Record<string, unknown>> | undefined): string | undefined {
  const error = members?.['error']
  return typeof error === 'string' && /^[a-z]+(?:_[a-z]+){0,5}$/.test(error) && error.length <= 48
    ? error
    : undefined
}

function decoded(body: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(body)
  } catch {
    return undefined
  }
}

function isForm(contentType = ''): boolean {
  return /^application\/x-www-form-urlencoded[ \t]*(?:;|$)/i.test(contentType)
}

function formMembers(text: string): Readonly<Record<string, unknown>> | undefined {
  const members = [...new URLSearchParams(text)]
  const names = new Set(members.map(([name]) => name))
  return names.size === members.length && !names.has('__proto__') ? Object.fromEntries(members) : undefined
}
