import { ExchangeError, UnrunError } from '../network/http-exchange.js'
import { readChallenges } from '../oauth/challenge-reader.js'
import { asksForNonce, receivedChallenge, type ReceivedChallenge } from '../oauth/received-challenge.js'
import type { Authorizer, Credentials, Refusal } from './authorizer.js'
import { InsufficientScopeError, InvalidTokenError } from './errors.js'

/** What the loop looks at: an answer whose headers are there and whose body nobody has begun to read. */
interface Answer {
  readonly status: number
  readonly wwwAuthenticate: readonly string[]
  header(name: string): string | undefined
  cancel(): void
}

/** One request that can be sent as often as it is asked for. */
export interface AuthorizedRequest<A extends Answer> {
  readonly send: (headers: Readonly<Record<string, string>>) => Promise<A>
  readonly method: string
  /** Whether the same bytes can be sent once more. */
  readonly repeatable: boolean
  readonly signal: AbortSignal | undefined
}

/** The last answer, with the error it stands for when it refused the credentials. */
export interface AuthorizedAnswer<A extends Answer> {
  readonly answer: A
  readonly refusal: InvalidTokenError | InsufficientScopeError | undefined
}

/**
 * Sends a request with a token; when that is refused with 401 or 403, the same bytes once more with another token.
 *
 * The second answer is final, whatever it is. With each of the two tokens they are sent once more where a proof was refused for its
 * nonce. Anything else than such refusals is never sent again. Rejects with `UnrunError` when no token is to be had, and as `send`
 * does.
 */
export async function sendAuthorized<A extends Answer>(
  authorizer: Authorizer,
  request: AuthorizedRequest<A>,
): Promise<AuthorizedAnswer<A>> {
  const { repeatable, signal } = request
  const first = await unrun(() => authorizer.credentials(signal))
  const answer = await sendWith(first, request)
  const refusal = repeatable ? await refusalIn(answer, first) : undefined
  if (refusal === undefined) return final(answer, first)
  let second: Credentials | undefined
  try {
    second = await unrun(() => authorizer.recover(refusal, signal))
  } catch (error) {
    answer.cancel()
    throw error
  }
  if (second === undefined) return final(answer, first)
  answer.cancel()
  return final(await sendWith(second, request), second)
}

/** Sends with a fresh proof, and once more where the resource gives a nonce to use instead (RFC 9449 §9). */
async function sendWith<A extends Answer>(
  credentials: Credentials | undefined,
  { send, method, repeatable }: AuthorizedRequest<A>,
): Promise<A> {
  const { headers = {}, possession } = credentials ?? {}
  if (possession === undefined) return send(headers)
  const proven = async () => send({ ...headers, dpop: await unrun(() => possession.proof(method)) })
  const first = await proven()
  const isNonceTaken = possession.takeNonce(first.header('dpop-nonce'))
  const isAsked = first.status === 401 && asksForNonce(first.wwwAuthenticate)
  if (!repeatable || !isNonceTaken || !isAsked) return first
  first.cancel()
  const second = await proven()
  possession.takeNonce(second.header('dpop-nonce'))
  return second
}

/** A refusal that a token could lift (RFC 6750 §3.1): every other 401 or 403 is an answer like any other. */
async function refusalIn(answer: Answer, sent: Credentials | undefined): Promise<Refusal | undefined> {
  const { status } = answer
  if (status !== 401 && status !== 403) return undefined
  try {
    const challenge = await unrun(() => challengeIn(answer, sent))
    return isAboutToken(status, challenge, sent) ? { status, challenge, sent } : undefined
  } catch (error) {
    answer.cancel()
    throw error
  }
}

function challengeIn(
  { wwwAuthenticate }: Answer,
  sent: Credentials | undefined,
): ReceivedChallenge | undefined {
  return receivedChallenge(wwwAuthenticate, sent?.possession === undefined ? 'bearer' : 'dpop')
}

const tokenErrors = new Set(['invalid_token', 'insufficient_scope'])

function isAboutToken(
  status: 401 | 403,
  challenge: ReceivedChallenge | undefined,
  sent: Credentials | undefined,
): boolean {
  const error = challenge?.error
  if (status === 403) return error === 'insufficient_scope' && challenge?.scope !== undefined
  return sent === undefined || error === undefined || tokenErrors.has(error)
}

async function unrun<T>(step: () => T): Promise<Awaited<T>> {
  try {
    return await step()
  } catch (cause) {
    throw cause instanceof ExchangeError ? cause : new UnrunError(cause)
  }
}

async function final<A extends Answer>(
  answer: A,
  sent: Credentials | undefined,
): Promise<AuthorizedAnswer<A>> {
  if (refusesProof(answer, sent)) {
    return { answer, refusal: new InvalidTokenError('The resource refuses the proof of possession') }
  }
  const refusal = sent && (await refusalIn(answer, sent))
  return { answer, refusal: refusal && refusalError(refusal) }
}

const proofErrors = new Set(['use_dpop_nonce', 'invalid_dpop_proof'])

function refusesProof(answer: Answer, sent: Credentials | undefined): boolean {
  if (sent?.possession === undefined || answer.status !== 401) return false
  return readChallenges(answer.wwwAuthenticate).some(
    ({ scheme, parameters }) => scheme === 'dpop' && proofErrors.has(parameters.get('error') ?? ''),
  )
}

function refusalError({ status, challenge }: Refusal): InvalidTokenError | InsufficientScopeError {
  return status === 401 ? new InvalidTokenError() : new InsufficientScopeError(challenge?.scope ?? [])
}
