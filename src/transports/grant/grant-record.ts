import { z } from 'zod'
import { parseStrictObject } from '../../oauth/strict-json.js'
import { StoreError } from '../../store/store-error.js'
import { proofKey } from '../possession/proof-key.js'
import { sameBinding, type GrantBinding } from './grant-binding.js'

const text = z.string().min(1)
/** Milliseconds since 1970. */
const instant = z.int().nonnegative()
const texts = z.array(text).readonly()

const ready = z
  .strictObject({
    type: z.literal('ready'),
    /** New with each token, so that a rejected one can be told from its successor. */
    issuanceId: text,
    accessToken: text,
    tokenType: z.enum(['Bearer', 'DPoP']),
    refreshToken: text.exactOptional(),
    /** When the request for it began. */
    obtainedAt: instant,
    /** Absent when the authorization server did not say. */
    expiresAt: instant.exactOptional(),
    granted: texts,
    /** The `resource` it was asked for with, to be named again when it is refreshed. */
    resource: text.exactOptional(),
    /** What the token is bound to, with all tokens that follow from it. */
    proofKey: proofKey.exactOptional(),
  })
  .refine((grant) => (grant.tokenType === 'DPoP') === (grant.proofKey !== undefined))
  .readonly()

/** What an exchange uses up. */
const consumed = z.enum(['code', 'refresh_token', 'assertion'])

const state = z.discriminatedUnion('type', [
  ready,
  /**
   * Something that can be used once was sent, and no answer is saved. It is never sent again. `previous` is what still holds of
   * the grant before, without anything that was used up.
   */
  z.strictObject({
    type: z.literal('pending'),
    uses: consumed,
    startedAt: instant,
    previous: ready.exactOptional(),
  }),
])

/** Where a user was sent to consent; whoever needs no more than these scopes sends the user to the same place. */
const consent = z
  .strictObject({ id: text, url: text, redirectUri: text, scopes: texts, expiresAt: instant })
  .readonly()

const record = z.strictObject({
  v: z.literal(1),
  binding: z.strictObject({
    kind: z.enum(['authorization_code', 'client_credentials', 'enterprise', 'workload_identity']),
    issuer: text,
    clientId: text,
    method: z.enum(['none', 'client_secret_basic', 'client_secret_post', 'private_key_jwt']),
    identity: texts,
    endpoint: text,
    dpop: z.literal(true).exactOptional(),
  }),
  /** Every scope ever asked for; only grows. */
  requested: texts,
  /** Absent as long as there is none. */
  state: state.readonly().exactOptional(),
  consent: consent.exactOptional(),
  /** What a user would not grant, and how long that is remembered. */
  refused: z.strictObject({ scopes: texts, until: instant }).readonly().exactOptional(),
})

/** What a token endpoint gave, ready to be used. */
export type ReadyGrant = z.infer<typeof ready>
export type ConsumedCredential = z.infer<typeof consumed>
export type OpenConsent = z.infer<typeof consent>
/** A grant as it is stored, with its binding repeated inside. */
export type GrantRecord = Readonly<Omit<z.infer<typeof record>, 'v'>>

/** Writes a record as JSON with its schema version. */
export function writeGrant({ binding, requested, state, consent, refused }: GrantRecord): Uint8Array {
  return Buffer.from(JSON.stringify({ v: 1, binding, requested, state, consent, refused }))
}

/**
 * Reads a record of exactly this binding. Throws `StoreError` (`ERR_STORE_CORRUPT`) for everything else, another version and
 * members it does not know included: what cannot be read is never taken for absent, and never quoted.
 */
export function readGrant(bytes: Uint8Array, binding: GrantBinding): GrantRecord {
  const read = record.safeParse(parseStrictObject(Buffer.from(bytes).toString('utf8')))
  if (read.success && sameBinding(read.data.binding, binding)) return read.data
  throw new StoreError('ERR_STORE_CORRUPT', 'The record of a grant is not one of this transport')
}

/** What can be used of a stored grant, whatever else is going on with it. */
export function usableGrant(record: GrantRecord | undefined): ReadyGrant | undefined {
  const state = record?.state
  return state?.type === 'pending' ? state.previous : state
}
