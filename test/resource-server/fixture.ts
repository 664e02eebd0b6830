import { onTestFinished } from 'vitest'
import type { Clock } from '../../src/resource-server/back-off.js'
import type { JwtResourceServerOptions } from '../../src/resource-server/jwt/options.js'
import { jwtResourceServerAt } from '../../src/resource-server/jwt/jwt-resource-server.js'
import type { ResourceServer, Verification } from '../../src/resource-server/resource-server.js'
import {
  testAuthorizationServer,
  type TestAuthorizationServer,
  type TestAuthorizationServerOptions,
} from '../../src/testing/index.js'

export const resource = 'https://api.example.com/mcp'

/** A clock that stands still until it is moved. */
export interface SetClock extends Clock {
  advance(seconds: number): void
}

export function setClock(): SetClock {
  let milliseconds = Date.now()
  return {
    now: () => milliseconds,
    random: () => 0,
    advance: (seconds) => void (milliseconds += seconds * 1000),
  }
}

export async function startAuthorizationServer(
  options?: TestAuthorizationServerOptions,
): Promise<TestAuthorizationServer> {
  const as = await testAuthorizationServer(options)
  onTestFinished(() => as.close())
  return as
}

export function resourceServerAt(
  clock: Clock,
  options: Omit<JwtResourceServerOptions, 'resource'> & { resource?: string },
): ResourceServer {
  const server = jwtResourceServerAt({ resource, allowLoopbackHttp: true, ...options }, clock)
  onTestFinished(() => server.close())
  return server
}

/** `accepted`, `undecided`, or the reason of a refusal. */
export async function outcome(verification: Verification | Promise<Verification>): Promise<string> {
  const settled = await verification
  return settled.outcome === 'refused' ? settled.reason : settled.outcome
}

/** Waits until a condition holds that depends on real requests. */
export async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setImmediate(resolve))
}
