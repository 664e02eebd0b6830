import { AuthorizationUnavailableError, InsufficientScopeError } from '../errors.js'
import { onlyRegistration } from '../discovery/choose-registration.js'
import { usableGrant, type GrantRecord, type OpenConsent, type ReadyGrant } from '../grant/grant-record.js'
import { lasts } from '../grant/clock.js'
import { holdGrant, type HeldGrant } from '../grant/held-grant.js'
import { serves, type GrantWish } from '../grant/shared-grant.js'
import { beginConsent, consentMilliseconds } from './begin-consent.js'
import { consentBinding, type ConsentContext } from './consent-context.js'
import { consentRequest, type ConsentRequest } from './consent-request.js'
import { findServer } from './find-server.js'
import { refusalMilliseconds } from './finish-consent.js'
import { refreshGrant } from './refresh-grant.js'

/** A grant to use, or where the user has to go for one; undefined when the server asks for none. */
export type GrantOrConsent =
  | { readonly grant: ReadyGrant; readonly consent?: never }
  | { readonly consent: ConsentRequest; readonly grant?: never }
  | undefined

/** Where the answer of the user is to come to. */
interface Redirection {
  /** May take time and may be asked for more than once. */
  readonly uri: () => string | Promise<string>
  /** Whether answers to consents begun elsewhere come to the same place. */
  readonly isShared: boolean
}

/** An open consent that ends within this time is not given to anybody new. */
const spareMilliseconds = 60_000

/**
 * Loads the grant of a user, renews it, or begins a consent: whatever serves the wish. Only one process renews, and all of them
 * send the user to the same place. No lock is held while anybody waits for the network of discovery or for a user.
 */
export async function grantOrConsent(
  context: ConsentContext,
  wish: GrantWish,
  redirection: Redirection,
  signal: AbortSignal,
): Promise<GrantOrConsent> {
  if (wish.challenge === undefined && context.open.isOpen()) return undefined
  const fixed = wish.challenge === undefined ? onlyRegistration(context.registration) : undefined
  const found = fixed === undefined ? await findServer(context, wish.challenge, signal) : undefined
  if (found === 'open') return undefined
  const client = found?.registration ?? fixed
  if (client === undefined) return undefined
  const binding = consentBinding(client, context)
  const hold = <T>(use: (held: HeldGrant) => Promise<T>) => holdGrant(context.store, binding, { signal }, use)

  const first = await hold(async (held) => {
    const grant = await readyGrant(held, wish, context, signal)
    if (grant !== undefined) return { grant }
    checkHope(held.record, wish)
    const open = redirection.isShared ? openConsent(held.record, wish) : undefined
    if (open !== undefined) return { consent: consentRequest(open, binding) }
    return askedScopes(held.record, redirection)
  })
  if (!isList(first)) return first
  const server = found ?? (await findServer(context, undefined, signal))
  if (server === 'open') return undefined
  const redirectUri = await redirection.uri()
  const needed = wish.scopes ?? []
  return beside(first, async (requested) => {
    const begun = await beginConsent(context, server, { redirectUri, requested, needed }, signal)
    return hold((held) => announce(held, wish, { begun, requested }, redirection))
  })
}

/** Begins a consent that the user asked for, whatever grant there is. */
export async function askedConsent(
  context: ConsentContext,
  scopes: readonly string[],
  redirection: Redirection,
  signal: AbortSignal,
): Promise<ConsentRequest> {
  const found = await findServer(context, undefined, signal)
  if (found === 'open') throw new AuthorizationUnavailableError('The resource does not ask for a token now')
  const binding = consentBinding(found.registration, context)
  const hold = <T>(use: (held: HeldGrant) => Promise<T>) => holdGrant(context.store, binding, { signal }, use)
  const first = await hold((held) => {
    const open = redirection.isShared ? openConsent(held.record, { scopes }) : undefined
    return Promise.resolve(open ?? askedScopes(held.record, redirection))
  })
  if (!isList(first)) return consentRequest(first, binding)
  const redirectUri = await redirection.uri()
  return beside(first, async (requested) => {
    const begun = await beginConsent(context, found, { redirectUri, requested, needed: scopes }, signal)
    return hold((held) => record(held, { begun, requested }, redirection))
  })
}

/** What a consent that is begun now has to ask for as well: it takes the place of one that is open. */
function askedScopes(
  held: GrantRecord | undefined,
  { isShared }: Pick<Redirection, 'isShared'>,
): readonly string[] {
  const { requested = [] } = held ?? {}
  const open = isShared ? openConsent(held, {}) : undefined
  return [...new Set([...requested, ...(open?.scopes ?? [])])]
}

/** Tries until a consent asks for all that others, who were faster, have begun to ask for meanwhile. */
async function beside<T>(
  first: readonly string[],
  attempt: (requested: readonly string[]) => Promise<T | readonly string[]>,
): Promise<T> {
  for (let requested = first; ;) {
    const result = await attempt(requested)
    if (!isList(result)) return result
    requested = result
  }
}

/** The stored grant, renewed where it is not what the wish asks for and a new token could be. */
async function readyGrant(
  held: HeldGrant,
  wish: GrantWish,
  context: ConsentContext,
  signal: AbortSignal,
): Promise<ReadyGrant | undefined> {
  const grant = usableGrant(held.record)
  if (grant === undefined || serves(grant, wish)) return grant
  const { scopes = [], rejected } = wish
  const isLackingScopes =
    !scopes.every((scope) => grant.granted.includes(scope)) ||
    (wish.scopes !== undefined && grant.issuanceId === rejected)
  return isLackingScopes ? undefined : refreshGrant(held, grant, context, signal)
}

/** Asking again for what was asked for, or for what the user has just refused, would be in vain. */
function checkHope(record: GrantRecord | undefined, { scopes }: GrantWish): void {
  if (record === undefined || scopes === undefined || usableGrant(record) === undefined) return
  const { requested, refused } = record
  const isRefused =
    refused !== undefined &&
    lasts(refused.until, refusalMilliseconds) &&
    scopes.some((scope) => refused.scopes.includes(scope))
  if (isRefused || scopes.every((scope) => requested.includes(scope)))
    throw new InsufficientScopeError(scopes)
}

function openConsent(record: GrantRecord | undefined, { scopes = [] }: GrantWish): OpenConsent | undefined {
  const open = record?.consent
  const isOpen = open && lasts(open.expiresAt - spareMilliseconds, consentMilliseconds - spareMilliseconds)
  if (!isOpen) return undefined
  return scopes.every((scope) => open.scopes.includes(scope)) ? open : undefined
}

/** Tells of a consent that was just begun, unless somebody else was faster. */
async function announce(
  held: HeldGrant,
  wish: GrantWish,
  attempt: Attempt,
  redirection: Redirection,
): Promise<GrantOrConsent | readonly string[]> {
  const grant = usableGrant(held.record)
  if (grant !== undefined && serves(grant, wish)) return { grant }
  const open = redirection.isShared ? openConsent(held.record, wish) : undefined
  if (open !== undefined) return { consent: consentRequest(open, held.binding) }
  const recorded = await record(held, attempt, redirection)
  return isList(recorded) ? recorded : { consent: recorded }
}

/** A consent that was just begun beside what had been asked for then. */
interface Attempt {
  readonly begun: OpenConsent
  readonly requested: readonly string[]
}

/** Keeps it as the one that is open; more scopes where it lacks what somebody else has begun to ask for. */
async function record(
  held: HeldGrant,
  { begun, requested: before }: Attempt,
  redirection: Redirection,
): Promise<ConsentRequest | readonly string[]> {
  const asked = askedScopes(held.record, redirection)
  if (!asked.every((scope) => before.includes(scope))) return asked
  const { requested = [], state } = held.record ?? {}
  await held.save({ requested, ...(state && { state }), consent: begun })
  return consentRequest(begun, held.binding)
}

function isList(value: unknown): value is readonly string[] {
  return Array.isArray(value)
}
