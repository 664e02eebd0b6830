import type { Confirmation } from './resource-server.js'

const names = ['jkt', 'x5t#S256']
const sha256Thumbprint = /^[A-Za-z0-9_-]{43}$/

/**
 * Reads what a token says about the key of its holder; `undefined` for a bearer token, `'proof'` for anything but the
 * thumbprints of RFC 9449 §6.1 and RFC 8705 §3.1, since whoever cannot read it must not take it for a bearer token.
 */
export function readConfirmation(cnf: unknown): Confirmation | undefined | 'proof' {
  if (cnf === undefined) return undefined
  if (typeof cnf !== 'object' || cnf === null || Array.isArray(cnf)) return 'proof'
  const members = Object.entries(cnf)
  const isRight = members.every(
    ([name, value]) => names.includes(name) && typeof value === 'string' && sha256Thumbprint.test(value),
  )
  return isRight && members.length > 0 ? Object.freeze(Object.fromEntries(members)) : 'proof'
}
