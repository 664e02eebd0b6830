import { addressGuard, type AddressRules } from './address-guard.js'
import { boundedHttp, type HttpLimits, type HttpRequest } from './bounded-http.js'
import type { HttpOutcome } from './http-outcome.js'

/** What the operator wrote about the place a URL came from. */
export interface Trust {
  /** Origins the operator wrote: what stands there may be inside the own network. */
  readonly origins: readonly string[]
  /** Whether the operator opted into plain http on loopback hosts. Default false. */
  readonly loopback?: boolean
}

/** Sends bounded requests to URLs that came from the network. */
export interface GuardedHttp {
  /** Whether a URL may be asked for, as far as can be told without resolving its name. */
  admits(url: string, trust: Trust): boolean
  /** Never rejects. */
  send(request: HttpRequest, trust: Trust): Promise<HttpOutcome>
  /** Aborts what is under way and closes the pools. */
  close(): Promise<void>
}

/** Options of `guardedHttp`. */
export interface GuardedHttpOptions extends Omit<HttpLimits, 'guard'>, Pick<AddressRules, 'allowHosts'> {}

/** Makes a sender that reaches only public addresses over https, apart from the origins that a request may trust. */
export function guardedHttp({ allowHosts = [], ...limits }: GuardedHttpOptions = {}): GuardedHttp {
  const closed = addressGuard({ allowHosts })
  const local = addressGuard({ allowHosts, allowLoopback: true })
  const trusted = boundedHttp(limits)
  const closedHttp = boundedHttp({ ...limits, guard: closed })
  const localHttp = boundedHttp({ ...limits, guard: local })
  return {
    admits: (url, trust) => isTrusted(url, trust) || (trust.loopback ? local : closed).admits(url),
    send(request, trust) {
      if (isTrusted(request.url, trust)) return trusted.send(request)
      return (trust.loopback ? localHttp : closedHttp).send(request)
    },
    async close() {
      await Promise.all([trusted.close(), closedHttp.close(), localHttp.close()])
    },
  }
}

function isTrusted(url: string, { origins }: Trust): boolean {
  return URL.canParse(url) && origins.includes(new URL(url).origin)
}
