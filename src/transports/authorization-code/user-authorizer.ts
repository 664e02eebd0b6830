import type { Authorizer, Credentials } from '../authorizer.js'
import { grantCredentials, type Presentation } from '../grant-credentials.js'
import type { GrantWish, SharedGrant } from '../grant/shared-grant.js'

/**
 * Credentials of a user. A refused token is replaced, missing scopes are asked for, each once per request. The grant is asked for
 * each time and `close` is the owner's business, since the transports of a user share one that the owner may let go of.
 */
export function userAuthorizer(
  grant: () => SharedGrant,
  presentation: Presentation,
  close: () => Promise<void>,
): Authorizer {
  async function credentials(wish: GrantWish, signal?: AbortSignal): Promise<Credentials | undefined> {
    const ready = await grant().get(wish, signal)
    return ready && grantCredentials(ready, presentation)
  }
  return {
    credentials: (signal) => credentials({}, signal),
    recover({ status, challenge, sent }, signal) {
      const wish = {
        ...(sent && { rejected: sent.issuanceId }),
        ...(challenge && { challenge }),
        ...(status === 403 && challenge?.scope && { scopes: challenge.scope }),
      }
      return credentials(wish, signal)
    },
    close,
  }
}
