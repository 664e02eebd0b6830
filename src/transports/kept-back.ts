import { CastellanError, type ErrorCode } from '../errors.js'

const codes: ReadonlySet<string> = new Set<ErrorCode>([
  'ERR_DISCOVERY',
  'ERR_REGISTRATION',
  'ERR_CONSENT_REQUIRED',
  'ERR_CONSENT',
  'ERR_TOKEN_ENDPOINT',
  'ERR_INSUFFICIENT_SCOPE',
  'ERR_INVALID_TOKEN',
  'ERR_AUTHORIZATION_UNAVAILABLE',
  'ERR_IDENTITY_REQUIRED',
  'ERR_STORE_UNAVAILABLE',
  'ERR_STORE_CONFLICT',
  'ERR_STORE_UNCERTAIN',
  'ERR_STORE_CORRUPT',
])

/** Whether an error is that of a transport, or of its store, which kept a request back or had it refused: it did not run. */
export function keptBack(error: unknown): error is CastellanError {
  return error instanceof CastellanError && codes.has(error.code)
}
