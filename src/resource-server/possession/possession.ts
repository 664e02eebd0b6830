import type { X509Certificate } from 'node:crypto'
import type { IncomingMessage } from 'node:http'

/** How callers can prove that they hold the key of a bound token. Made by `withDpop` and `withClientCertificates`. */
export interface Possession {
  readonly dpop?: DpopCheck
  readonly certificate?: CertificateSource
}

/** Finds the certificate a client showed; DER bytes or a parsed certificate. */
export type CertificateSource = (message: IncomingMessage) => Buffer | X509Certificate | undefined

/** Checks DPoP proofs (RFC 9449). */
export interface DpopCheck {
  /** Whether tokens that are bound to no key are turned away. */
  readonly required: boolean
  /** As named in challenges and metadata, in order of preference. */
  readonly algorithms: readonly string[]
  /** Says whether the one `DPoP` header line proves possession of the key for this request. Never rejects. */
  prove(proofs: readonly string[], request: BoundRequest): Promise<HolderVerdict>
}

/** What a proof must be about. */
export interface BoundRequest {
  readonly method: string
  /** The absolute URL clients send the request to, without query. */
  readonly target: string
  readonly token: string
  /** Thumbprint of the key the token is bound to. */
  readonly jkt: string
}

/** What is wrong with a DPoP proof; for logs, never for the caller. */
export type ProofDefect = `proof-${
  | 'count'
  | 'malformed'
  | 'type'
  | 'algorithm'
  | 'key'
  | 'method'
  | 'url'
  | 'time'
  | 'id'
  | 'token'
  | 'signature'
  | 'nonce'
  | 'replayed'}`

/** Whether the caller holds the key of a token. */
export type HolderVerdict =
  | { readonly outcome: 'proven' }
  | { readonly outcome: 'unproven' }
  | { readonly outcome: 'invalid-proof'; readonly defect: ProofDefect }
  | { readonly outcome: 'nonce-needed'; readonly nonce: string }
  | { readonly outcome: 'undecided'; readonly reason: string }
