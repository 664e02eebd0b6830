import { z } from 'zod'
import { parseStrictObject } from '../../oauth/strict-json.js'
import type { CredentialRecord } from '../../store/authorization-store.js'
import { StoreError } from '../../store/store-error.js'
import { recordKey } from '../grant/grant-binding.js'
import type { EnterpriseIdentity } from './enterprise-identity.js'

const text = z.string().min(1)

const record = z.strictObject({
  v: z.literal(1),
  binding: z.strictObject({ issuer: text, clientId: text, subject: text }),
  /** SHA-256 of what the host gave last and that can be used once. */
  used: text.exactOptional(),
  /** Absent while it is being used: an answer that is lost may have used it up. */
  refreshToken: text.exactOptional(),
})

/** What is kept of an identity between exchanges. */
export type KeptIdentity = Readonly<Pick<z.infer<typeof record>, 'used' | 'refreshToken'>>

/** The key of the record: one for a client of an identity provider, since a store is one user's. */
export function identityKey({ registration }: EnterpriseIdentity): string {
  return recordKey(['identity', registration.issuer, registration.clientId])
}

/**
 * Reads what is kept; undefined when there certainly is nothing. Throws `StoreError` (`ERR_STORE_CORRUPT`) for what is not a record
 * of exactly this user: a store that is shared among users is never used.
 */
export async function loadIdentity(
  own: CredentialRecord,
  identity: EnterpriseIdentity,
): Promise<KeptIdentity | undefined> {
  const bytes = await own.load()
  if (bytes === undefined) return undefined
  const read = record.safeParse(parseStrictObject(Buffer.from(bytes).toString('utf8')))
  const { issuer, clientId, subject } = bindingOf(identity)
  const found = read.data?.binding
  if (!read.success || found?.issuer !== issuer || found.clientId !== clientId)
    throw new StoreError('ERR_STORE_CORRUPT', 'The record of an identity is not one of this transport')
  if (found.subject !== subject)
    throw new StoreError('ERR_STORE_CORRUPT', 'The store holds the identity of another user')
  return read.data
}

/** Replaces what is kept. */
export async function saveIdentity(
  own: CredentialRecord,
  identity: EnterpriseIdentity,
  { used, refreshToken }: KeptIdentity,
): Promise<void> {
  const kept = { ...(used !== undefined && { used }), ...(refreshToken !== undefined && { refreshToken }) }
  await own.save(Buffer.from(JSON.stringify({ v: 1, binding: bindingOf(identity), ...kept })))
}

function bindingOf({ registration, subject }: EnterpriseIdentity) {
  return { issuer: registration.issuer, clientId: registration.clientId, subject }
}
