import { createHash } from 'node:crypto'
import type { ClientAuthenticationMethod } from '../../oauth/registration/registration.js'

/** Whose grant it is, and for what. Any part that differs makes another grant. */
export interface GrantBinding {
  readonly kind: 'authorization_code' | 'client_credentials' | 'enterprise' | 'workload_identity'
  readonly issuer: string
  readonly clientId: string
  readonly method: ClientAuthenticationMethod
  /** Whom it speaks for where that is not the client itself: for example issuer and subject at an identity provider. */
  readonly identity: readonly string[]
  /** The one URL it is used at. */
  readonly endpoint: string
  /** Its tokens are bound to a key; absent for bearer tokens. */
  readonly dpop?: true
}

/** The key of the record that holds a grant: 64 hexadecimal digits, from which nothing can be read back. */
export function grantKey(binding: GrantBinding): string {
  const { kind, issuer, clientId, method, identity, endpoint, dpop } = binding
  return recordKey([
    dpop ? 'bound resource' : 'resource',
    kind,
    issuer,
    clientId,
    method,
    ...identity,
    endpoint,
  ])
}

/** SHA-256 over parts that each stand behind their length, so that no two lists of parts are ever one. */
export function recordKey(parts: readonly string[]): string {
  const hash = createHash('sha256')
  const length = Buffer.alloc(4)
  for (const part of parts) {
    const bytes = Buffer.from(part)
    length.writeUInt32BE(bytes.length)
    hash.update(length).update(bytes)
  }
  return hash.digest('hex')
}

export function sameBinding(one: GrantBinding, other: GrantBinding): boolean {
  const texts = ['kind', 'issuer', 'clientId', 'method', 'endpoint', 'dpop'] as const
  return (
    texts.every((name) => one[name] === other[name]) &&
    one.identity.length === other.identity.length &&
    one.identity.every((part, index) => part === other.identity[index])
  )
}
