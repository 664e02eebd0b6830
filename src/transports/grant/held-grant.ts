import { randomUUID } from 'node:crypto'
import type { AuthorizationStore, CredentialRecord } from '../../store/authorization-store.js'
import type { TokenOutcome } from '../token/token-outcome.js'
import { grantKey, type GrantBinding } from './grant-binding.js'
import {
  readGrant,
  usableGrant,
  writeGrant,
  type ConsumedCredential,
  type GrantRecord,
  type ReadyGrant,
} from './grant-record.js'

/** A grant nobody else can read or change meanwhile, in no process. */
export interface HeldGrant {
  readonly binding: GrantBinding
  /** As stored; undefined when there is none. A `pending` one here was lost: whoever began it held this lock. */
  readonly record: GrantRecord | undefined
  /** All records that were asked for, by key: its own, and those of the further keys. */
  readonly records: ReadonlyMap<string, CredentialRecord>
  /**
   * Gets a token and saves it. What the exchange uses up is saved as used before anything is sent, and given back only when it
   * certainly was not used. Rejects with the error of the outcome; with `StoreError` nothing was sent, or nothing may be.
   */
  issue(issue: Issue): Promise<ReadyGrant>
  /** Replaces the record. */
  save(record: Omit<GrantRecord, 'binding'>): Promise<void>
  /** Deletes the record, whatever it holds. */
  remove(): Promise<void>
  /** Deletes the record, but only while it holds this token: a successor is somebody else's. */
  drop(issuanceId: string): Promise<void>
}

/** One exchange at a token endpoint. */
interface Issue {
  /** Every scope that has ever been asked for, with those of this exchange. */
  readonly requested: readonly string[]
  readonly consumes?: ConsumedCredential
  /** Kept with the token. */
  readonly keep?: Pick<ReadyGrant, 'resource' | 'proofKey'>
  /** The signal aborts when the lock is lost. */
  readonly exchange: (signal: AbortSignal) => Promise<TokenOutcome>
}

interface HoldOptions {
  readonly signal: AbortSignal
  /** Keys of further records that are needed at the same time. */
  readonly with?: readonly string[]
}

/**
 * Runs `use` with the grant of this binding under its lock. Rejects with `StoreError`, a record of another binding included.
 */
export function holdGrant<T>(
  store: AuthorizationStore,
  binding: GrantBinding,
  options: HoldOptions,
  use: (held: HeldGrant) => Promise<T>,
): Promise<T> {
  const key = grantKey(binding)
  const keys = [key, ...(options.with ?? [])]
  return store.withCredentials(
    keys,
    async (records, lease) => {
      const own = records.get(key)
      if (own === undefined) throw new TypeError('The store did not hand out the record')
      const stored = await own.load()
      const record = stored && readGrant(stored, binding)
      return use({ ...held(own, binding, record, lease.lost), records })
    },
    { signal: options.signal },
  )
}

function held(
  own: CredentialRecord,
  binding: GrantBinding,
  record: GrantRecord | undefined,
  lost: AbortSignal,
): Omit<HeldGrant, 'records'> {
  const save: HeldGrant['save'] = (next) => own.save(writeGrant({ ...next, binding }))
  return {
    binding,
    record,
    save,
    remove: () => own.remove(),
    async issue({ requested, consumes, keep = {}, exchange }) {
      const startedAt = Date.now()
      const before = usableGrant(record)
      const open = consumes === 'code' ? settled(record) : record
      const beside = besideState(open)
      if (consumes !== undefined) {
        await save({
          requested,
          ...beside,
          state: { type: 'pending', uses: consumes, startedAt, ...remaining(before, consumes) },
        })
      }
      lost.throwIfAborted()
      const outcome = await exchange(lost)
      if (!outcome.ok) {
        if (consumes !== undefined && !outcome.usedUp) await (open ? save(open) : own.remove())
        throw outcome.error
      }
      const kept = consumes === 'refresh_token' ? before?.refreshToken : undefined
      const state = { ...readyGrant(outcome.token, requested, startedAt, kept), ...keep }
      await save({ requested, ...beside, state })
      return state
    },
    async drop(issuanceId) {
      if (usableGrant(record)?.issuanceId === issuanceId) await own.remove()
    },
  }
}

/** A record whose user has come back from the browser; undefined when nothing is left of it. */
export function settled(record: GrantRecord | undefined): GrantRecord | undefined {
  if (record?.state === undefined) return undefined
  const { binding, requested, state } = record
  return { binding, requested, state }
}

/** What stays in a record whatever becomes of its token. */
function besideState(record: GrantRecord | undefined): Pick<GrantRecord, 'consent' | 'refused'> {
  const { consent, refused } = record ?? {}
  return { ...(consent && { consent }), ...(refused && { refused }) }
}

/** What holds of a grant while an exchange is under way: everything but what the exchange uses up. */
function remaining(
  before: ReadyGrant | undefined,
  consumes: ConsumedCredential,
): { readonly previous?: ReadyGrant } {
  if (before === undefined) return {}
  if (consumes !== 'refresh_token') return { previous: before }
  const previous: { refreshToken?: string } & ReadyGrant = { ...before }
  delete previous.refreshToken
  return { previous }
}

function readyGrant(
  token: (TokenOutcome & { readonly ok: true })['token'],
  requested: readonly string[],
  obtainedAt: number,
  kept: string | undefined,
): ReadyGrant {
  const { accessToken, tokenType, refreshToken = kept, expiresInSeconds, scope = requested } = token
  return {
    type: 'ready',
    issuanceId: randomUUID(),
    accessToken,
    tokenType,
    ...(refreshToken !== undefined && { refreshToken }),
    obtainedAt,
    ...(expiresInSeconds !== undefined && { expiresAt: obtainedAt + Math.floor(expiresInSeconds * 1000) }),
    granted: scope,
  }
}
