import type { AuthorizationServer } from 'oauth4webapi'
import { z } from 'zod'
import type { Trust } from '../../network/guarded-http.js'
import { parseStrictObject } from '../../oauth/strict-json.js'
import { StoreError } from '../../store/store-error.js'
import { proofKey } from '../possession/proof-key.js'
import { recordKey, sameBinding, type GrantBinding } from '../grant/grant-binding.js'

const text = z.string().min(1)
const texts = z.array(text).readonly()
const binding = z.custom<GrantBinding>((value) => typeof value === 'object' && value !== null)
const server = z.custom<AuthorizationServer>((value) => typeof value === 'object' && value !== null)
const trust = z.custom<Trust>((value) => typeof value === 'object' && value !== null)

const transaction = z.strictObject({
  v: z.literal(1),
  /** Whose grant it will be: the user who was sent away, and no other. */
  binding,
  state: text,
  codeVerifier: text,
  redirectUri: text,
  resource: text.exactOptional(),
  /** What the code is bound to. */
  proofKey: proofKey.exactOptional(),
  scopes: texts,
  /** Milliseconds since 1970. */
  expiresAt: z.int(),
  /** As it was when the user was sent there. */
  server,
  trust,
})

interface Where {
  readonly endpoint: string
  readonly user: readonly string[]
}

/** What a user took to the authorization server, from the moment of leaving until the one moment of coming back. */
export type ConsentTransaction = Readonly<Omit<z.infer<typeof transaction>, 'v'>>

/** Under what it is kept: nobody but its user can find it, at its resource alone, and from it nothing can be read back. */
export function transactionKey({ endpoint, user }: Where, state: string): string {
  return recordKey(['consent', endpoint, ...user, state])
}

export function writeTransaction(consent: ConsentTransaction): Uint8Array {
  return Buffer.from(JSON.stringify({ v: 1, ...consent }))
}

/** Throws `StoreError` (`ERR_STORE_CORRUPT`) for everything but a transaction of this user. */
export function readTransaction(bytes: Uint8Array, user: readonly string[]): ConsentTransaction {
  const read = transaction.safeParse(parseStrictObject(Buffer.from(bytes).toString('utf8')))
  if (read.success && sameBinding(read.data.binding, { ...read.data.binding, identity: user }))
    return read.data
  throw new StoreError('ERR_STORE_CORRUPT', 'The record of a consent is not one of this user')
}
