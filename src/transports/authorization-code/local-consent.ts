import { abortable } from '../../network/abortable.js'
import { callbackState } from '../consent/callback.js'
import { ConsentError } from '../errors.js'
import type { ReadyGrant } from '../grant/grant-record.js'
import type { GrantWish } from '../grant/shared-grant.js'
import type { ConsentContext } from './consent-context.js'
import type { ConsentRequest } from './consent-request.js'
import type { FailedConsents } from './failed-consents.js'
import { finishConsent } from './finish-consent.js'
import { loopbackListener, type LoopbackListener } from './loopback-listener.js'
import { grantOrConsent } from './user-grant.js'

/** What a user is about to be asked by an authorization server. */
export interface ConsentQuestion {
  /** Who will ask. */
  readonly issuer: string
  /** The MCP server that the application wants to use. */
  readonly resource: string
  /** What for; none named when empty. */
  readonly scopes: readonly string[]
  /** Where the answer goes to. */
  readonly redirectHost: string
}

/** How a program reaches its user. */
export interface LocalBrowser {
  /**
   * Opens the browser of the user: with `open` or `xdg-open` and the URL as one argument, never through a shell. The URL is https,
   * or http on a loopback host, at most 8 KiB, of characters no shell reads.
   */
  readonly openBrowser: (url: URL) => unknown
  /** Asked before the browser opens; anything but `true` refuses. Default nobody is asked. */
  readonly confirm?: (question: ConsentQuestion) => boolean | Promise<boolean>
}

interface LocalWay {
  readonly failed: FailedConsents
  readonly browser: LocalBrowser
  readonly redirectUri: string
}

/**
 * Loads or renews the grant of the user of this machine, or sends the user to a browser and waits for the answer: not where the
 * same came to nothing a short time ago.
 */
export async function localConsent(
  context: ConsentContext,
  wish: GrantWish,
  { browser, redirectUri, failed }: LocalWay,
  signal: AbortSignal,
): Promise<ReadyGrant | undefined> {
  let listener: LoopbackListener | undefined
  let state: string | undefined
  const uri = async () => {
    failed.check(wish)
    listener = await loopbackListener(redirectUri, (target) => isState(target, state))
    return listener.redirectUri
  }
  try {
    const result = await grantOrConsent(context, wish, { uri, isShared: false }, signal)
    if (result?.consent === undefined || listener === undefined) return result?.grant
    state = new URL(result.consent.url).searchParams.get('state') ?? undefined
    const callback = await visit(context, result.consent, listener, browser, signal)
    return await finishConsent(context, callback, signal)
  } catch (error) {
    if (state !== undefined && !signal.aborted) failed.note(wish, error)
    throw error
  } finally {
    await listener?.close()
  }
}

function isState(target: string, state: string | undefined): boolean {
  try {
    return callbackState(target) === state
  } catch {
    return false
  }
}

async function visit(
  { endpoint }: ConsentContext,
  { url, issuer, scopes }: ConsentRequest,
  listener: LoopbackListener,
  { openBrowser, confirm }: LocalBrowser,
  signal: AbortSignal,
): Promise<string> {
  const { host: redirectHost } = new URL(listener.redirectUri)
  const question = Object.freeze({ issuer, resource: endpoint, scopes, redirectHost })
  const asked = confirm === undefined || Promise.resolve(confirm(question))
  const isConfirmed: unknown = asked === true || (await abortable(asked, signal))
  if (isConfirmed !== true)
    throw new ConsentError('denied', 'The consent was refused before the browser opened')
  return Promise.race([listener.callback(signal), failure(openBrowser, new URL(url))])
}

/** Rejects when the browser cannot be opened. What opens it may take as long as the browser is there. */
async function failure(openBrowser: LocalBrowser['openBrowser'], url: URL): Promise<never> {
  try {
    await openBrowser(url)
  } catch {
    throw new ConsentError('failed', 'The browser could not be opened')
  }
  return new Promise(() => undefined)
}
