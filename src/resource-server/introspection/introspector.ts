import type { BoundedHttp } from '../../network/bounded-http.js'
import type { HttpOutcome } from '../../network/http-outcome.js'
import type { Registration } from '../../oauth/registration/registration.js'
import { parseStrictObject } from '../../oauth/strict-json.js'
import { nestedDeeperThan } from '../../protocol/json.js'
import type { IntrospectionAnswer } from './answer.js'
import type { Attempt } from './circuit-breaker.js'
import type { IssuerEndpoint } from '../issuer-endpoint.js'

/** What asking came to: an answer, or what failed in words that name no host. */
export type Introspection =
  | { readonly ok: true; readonly answer: IntrospectionAnswer; readonly outage?: undefined }
  | ({ readonly ok: false; readonly reason: string } & Attempt)

/** Asks about one token over a request of so many milliseconds at most. Never rejects. */
export type Introspector = (token: string, timeoutMilliseconds: number) => Promise<Introspection>

export interface IntrospectorSettings {
  readonly registration: Registration
  readonly endpoint: IssuerEndpoint
  readonly http: BoundedHttp
  /** Opens signed answers; without it only plain ones are taken. */
  readonly openSigned?: (jws: string) => Promise<{ readonly content: unknown } | string>
}

const deepestAnswer = 64
const signedType = 'application/token-introspection+jwt'
/** Statuses by which a server may mean this one token. */
const aboutTheToken = [400, 413, 414]

/**
 * Makes the one who asks: one POST with client authentication, of which only 200 with an unambiguous object and a boolean
 * `active` is an answer. RFC 7662 §2, RFC 9701 §4.
 */
export function introspector({
  registration,
  endpoint,
  http,
  openSigned,
}: IntrospectorSettings): Introspector {
  const client = { client_id: registration.clientId }
  const accept = openSigned === undefined ? 'application/json' : signedType

  async function ask(token: string, timeoutMilliseconds: number): Promise<Introspection> {
    const located = await endpoint.locate()
    if (!located.ok) return outage(located.reason)
    const form = new URLSearchParams({ token, token_type_hint: 'access_token' })
    const added = new Headers({ accept })
    await registration.authenticate(located.server, client, form, added)
    const headers = Object.fromEntries(added)
    return readOutcome(await http.send({ url: located.url, form, headers, timeoutMilliseconds }))
  }

  async function readOutcome(outcome: HttpOutcome): Promise<Introspection> {
    if (!outcome.ok) return outage(`introspection: ${outcome.fault}`)
    const { status, headers, body } = outcome
    if (status !== 200) return badStatus(status)
    const type = mediaType(headers['content-type'])
    if (type !== accept) return outage('introspection: content type')
    const text = decode(body) ?? ''
    if (openSigned === undefined) return readAnswer(parsePlain(text))
    const opened = await openSigned(text)
    return typeof opened === 'string'
      ? outage(`introspection: signed answer, ${opened}`)
      : readAnswer(opened.content)
  }

  return async (token, timeoutMilliseconds) => {
    const introspection = await ask(token, timeoutMilliseconds).catch(() =>
      outage('introspection: client authentication'),
    )
    if (introspection.outage !== undefined) endpoint.doubt()
    return introspection
  }
}

function readAnswer(answer: unknown): Introspection {
  return isAnswer(answer) ? { ok: true, answer } : outage('introspection: not an answer')
}

function parsePlain(text: string): unknown {
  return nestedDeeperThan(text, deepestAnswer) ? undefined : parseStrictObject(text)
}

function isAnswer(value: unknown): value is IntrospectionAnswer {
  return typeof value === 'object' && value !== null && 'active' in value && typeof value.active === 'boolean'
}

function badStatus(status: number): Introspection {
  if (status === 401) return outage('introspection: our client authentication was not accepted')
  const reason = `introspection: status ${status}`
  return aboutTheToken.includes(status) ? { ok: false, reason } : outage(reason)
}

function outage(reason: string): Introspection {
  return { ok: false, reason, outage: reason }
}

function mediaType(contentType: string | undefined): string {
  return (contentType ?? '').split(';', 1).join('').trim().toLowerCase()
}

function decode(body: Buffer): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(body)
  } catch {
    return undefined
  }
}
