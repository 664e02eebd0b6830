import type { Principal } from '../oauth/principal.js'

const tokens = new WeakMap<Principal, string>()
let isWanted = false

/** From now on tokens are remembered: somebody is going to exchange them. */
export function wantCallerTokens(): void {
  isWanted = true
}

/** Remembers the token of a principal that a guard lets in, where nothing but an exchange can read it. */
export function rememberToken(principal: Principal, token: string): Principal {
  if (isWanted && !tokens.has(principal)) tokens.set(principal, token)
  return principal
}

/** The token a guard has verified for this very object; undefined for one that was made in another way. */
export function callerToken(principal: Principal): string | undefined {
  return tokens.get(principal)
}
