import { guardedHttp, type GuardedHttp } from '../network/guarded-http.js'
import type { HttpExchange } from '../network/http-exchange.js'
import { undiciExchange } from '../network/http-undici-exchange.js'
import { authorizedTransport } from './authorized-transport.js'
import type { Authorizer, Refusal } from './authorizer.js'
import type { ClientTransport } from './client-transport.js'
import type { ReadyGrant } from './grant/grant-record.js'
import { sharedGrant, type GrantWish, type Obtain } from './grant/shared-grant.js'
import { grantCredentials } from './grant-credentials.js'
import { proofsFor, type Proofs } from './possession/proofs.js'

/** What obtaining a grant is done with. */
interface ObtainParts {
  /** To the endpoint, without authorization. */
  readonly exchange: HttpExchange
  readonly http: GuardedHttp
  /** Undefined for bearer tokens. */
  readonly proofs: Proofs | undefined
}

interface GrantTransportOptions {
  readonly endpoint: string
  /** The protocol extension it is part of. */
  readonly extension: string
  readonly dpop: boolean | undefined
  readonly obtain: (parts: ObtainParts) => Obtain
  /** The grant in place of a refused one; undefined when the refusal is final. */
  readonly replace: (
    refusal: Refusal,
    get: (wish: GrantWish) => Promise<ReadyGrant | undefined>,
  ) => Promise<ReadyGrant | undefined>
}

/** A transport with one grant of its own, got without anybody at a browser. */
export function grantTransport(options: GrantTransportOptions): ClientTransport {
  const { endpoint, extension, obtain, replace } = options
  const proofs = proofsFor(options.dpop)
  const exchange = undiciExchange(endpoint)
  const http = guardedHttp()
  const grant = sharedGrant(obtain({ exchange, http, proofs }))
  const carried = (ready: ReadyGrant | undefined) => ready && grantCredentials(ready, { endpoint, proofs })
  const authorizer: Authorizer = {
    credentials: async (signal) => carried(await grant.get({}, signal)),
    recover: async (refusal, signal) => carried(await replace(refusal, (wish) => grant.get(wish, signal))),
    close: () => grant.close(),
  }
  return authorizedTransport({ endpoint, authorizer, extension, exchange, release: () => http.close() })
}
