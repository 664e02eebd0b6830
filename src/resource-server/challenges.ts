import type { Scheme } from '../oauth/credentials.js'
import {
  formatChallenge,
  formatDpopChallenge,
  type BearerChallenge,
  type DpopChallenge,
} from '../oauth/challenge.js'
import type { DpopCheck } from './possession/possession.js'

type Asked = Pick<BearerChallenge, 'error' | 'scope'>
type ProofAsked = Pick<DpopChallenge, 'error' | 'scope'>

/** Writes the `WWW-Authenticate` values of one resource. */
export interface Challenges {
  /** The schemes it takes. */
  readonly schemes: readonly Scheme[]
  /** Asks for credentials of any scheme; an error is told of all of them. */
  ask(asked: Asked): string
  /** Refuses a token: with DPoP only to who used it, else also with the other scheme, but without the error there. */
  refuse(scheme: Scheme, asked: Asked): string
  refuseProof(asked: ProofAsked): string
}

/** One challenge for each scheme, Bearer first, in one header value (RFC 9110 §11.6.1, RFC 9449 §7.2). */
export function challengesOf(resourceMetadata: string, dpop: DpopCheck | undefined): Challenges {
  const { algorithms = [], required = false } = dpop ?? {}
  const schemes: readonly Scheme[] =
    dpop === undefined ? ['Bearer'] : required ? ['DPoP'] : ['Bearer', 'DPoP']
  const bearer = (asked: Asked) => formatChallenge({ resourceMetadata, ...asked })
  const proof = (asked: ProofAsked) => formatDpopChallenge({ resourceMetadata, algorithms, ...asked })
  const all = (asked: Asked, proofAsked: ProofAsked) =>
    schemes.map((scheme) => (scheme === 'Bearer' ? bearer(asked) : proof(proofAsked))).join(', ')
  return Object.freeze({
    schemes,
    ask: (asked: Asked) => all(asked, asked),
    refuse: (scheme: Scheme, asked: Asked) =>
      scheme === 'DPoP' ? proof(asked) : all(asked, { scope: asked.scope ?? [] }),
    refuseProof: proof,
  })
}
