import type { Principal } from '../oauth/principal.js'
import type { Possession } from './possession/possession.js'

/** Why a token was refused; for logs, never for the caller. */
export type RefusalReason =
  | 'malformed'
  | 'type'
  | 'algorithm'
  | 'key'
  | 'signature'
  | 'issuer'
  | 'audience'
  | 'expired'
  | 'not-yet-valid'
  | 'claims'
  | 'proof'
  | 'inactive'

/** The key only whose holder may use a token (RFC 7800 §3.1); one of the two members. */
export interface Confirmation {
  /** SHA-256 thumbprint of the key that signs DPoP proofs (RFC 9449 §6.1). */
  readonly jkt?: string
  /** SHA-256 thumbprint of the client certificate (RFC 8705 §3.1). */
  readonly 'x5t#S256'?: string
}

/** A `bound` token is good only together with proof that the caller holds the key. */
export type Verification<Claims = Record<string, unknown>> =
  | { readonly outcome: 'accepted'; readonly principal: Principal<Claims> }
  | { readonly outcome: 'bound'; readonly principal: Principal<Claims>; readonly confirmation: Confirmation }
  | { readonly outcome: 'refused'; readonly reason: RefusalReason }
  | { readonly outcome: 'undecided'; readonly reason: string; readonly retryAfterSeconds?: number }

/** Which tokens a resource server decides about. */
export interface AcceptedTokens {
  /** `jwt`: signed JWTs only. `any`: these, and tokens that only their authorization server can read. */
  readonly format: 'jwt' | 'any'
  /** What the tokens may say in `iss`, byte for byte. */
  readonly issuers: readonly string[]
}

/** Decides who a bearer token speaks for. Built by `jwtResourceServer` and its siblings. */
export interface ResourceServer<Claims = Record<string, unknown>> {
  /** The one resource this server accepts tokens for, byte for byte as configured. */
  readonly resource: string
  /** Authorization servers named in the protected resource metadata. */
  readonly issuers: readonly string[]
  /** By this `anyOf` knows whom to ask about a token. */
  readonly accepts?: AcceptedTokens
  /** In words, one sentence each: where this server asks for less than the specifications; told once at start. */
  readonly relaxations?: readonly string[]
  /** How callers prove that they hold the key of a bound token; without it, such tokens are refused. */
  readonly possession?: Possession
  /** Answers at once for a token verified before, otherwise later. Never throws, never rejects. */
  verify(token: string): Verification<Claims> | Promise<Verification<Claims>>
  /** Closes the connections to the authorization server. What needs them afterwards is undecided. */
  close(): Promise<void>
}
