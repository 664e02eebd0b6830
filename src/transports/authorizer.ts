import type { ReceivedChallenge } from '../oauth/received-challenge.js'
import type { Possession } from './possession/proofs.js'

/** What one request carries. */
export interface Credentials {
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>
  /** Makes a proof for each sending, where the token is bound to a key. */
  readonly possession?: Possession
  /** Which token it is. */
  readonly issuanceId: string
}

/** A refusal after which another token may help. */
export interface Refusal {
  readonly status: 401 | 403
  readonly challenge: ReceivedChallenge | undefined
  /** What was refused; undefined when the request carried nothing. */
  readonly sent: Credentials | undefined
}

/** Where the credentials of one transport come from. What it rejects with reaches the caller as it is: nothing ran. */
export interface Authorizer {
  /** For the next request; undefined when the server asks for none. */
  credentials(signal: AbortSignal | undefined): Promise<Credentials | undefined>
  /** For the same request once more; undefined when the refusal is final. */
  recover(refusal: Refusal, signal: AbortSignal | undefined): Promise<Credentials | undefined>
  /** Waits for an exchange under way, so that nothing a token endpoint gave is lost. Idempotent. */
  close(): Promise<void>
}
