import { hash } from 'node:crypto'
import { systemClock, type Clock } from '../back-off.js'
import type { SigningAlgorithm } from '../jwt/options.js'
import { checkedAlgorithms } from '../jwt/signature-rules.js'
import { amount, refuse } from '../option-checks.js'
import type { ResourceServer } from '../resource-server.js'
import { firstUse } from './first-use.js'
import { nonces, type NonceOptions } from './nonces.js'
import type { BoundRequest, DpopCheck, HolderVerdict, ProofDefect } from './possession.js'
import { futureTolerance, readProof } from './proof.js'
import { proofKeys } from './proof-key.js'
import { memoryReplayStoreAt, type ReplayStore } from './replay-store.js'
import { comparableUrl } from './target-url.js'
import { withPossession } from './with-possession.js'

/** Options of `withDpop`. */
export interface DpopOptions {
  /** Accept only tokens that are bound to a key, with the DPoP scheme. Default false. */
  readonly required?: boolean
  /** Signatures of proofs. Default `ES256`, `ES384`, `EdDSA`, `PS256`, `RS256`. */
  readonly algorithms?: readonly SigningAlgorithm[]
  /** Where used proofs are remembered. Default in this process, which is right for one instance only. */
  readonly replay?: ReplayStore
  /** Ask for nonces. Default none. */
  readonly nonce?: NonceOptions
  /** Longest time from the making of a proof to its use, 1 to 600. Default 60. */
  readonly maxAgeSeconds?: number
}

/**
 * Makes a resource server that also accepts tokens bound to a DPoP key, with the DPoP scheme and a fresh proof.
 *
 * A bound token sent as Bearer, a proof of another key, request or token and a proof used before are refused with 401; a
 * replay store that cannot tell is 503. Throws `DefinitionError` (`ERR_OPTION`). RFC 9449 §7.
 *
 * @example
 * withDpop(jwtResourceServer({ resource, issuer }), { required: true, replay: redisReplayStore(redis) })
 */
export function withDpop<Claims>(
  resourceServer: ResourceServer<Claims>,
  options: DpopOptions = {},
): ResourceServer<Claims> {
  return withDpopAt(resourceServer, options, systemClock)
}

/** @internal The same with a clock that tests can set. */
export function withDpopAt<Claims>(
  resourceServer: ResourceServer<Claims>,
  options: DpopOptions,
  { now }: Pick<Clock, 'now'>,
): ResourceServer<Claims> {
  const dpop = Object.freeze(dpopCheck(options, resourceServer.resource, now))
  return withPossession(resourceServer, { dpop })
}

function dpopCheck(options: DpopOptions, resource: string, now: () => number): DpopCheck {
  const { required = false, replay = memoryReplayStoreAt({}, now) } = options
  const maxAgeSeconds = amount('maxAgeSeconds', options.maxAgeSeconds ?? 60, 1, 600)
  checkKinds(required, replay)
  const algorithms = checkedAlgorithms(options.algorithms ?? ['ES256', 'ES384', 'EdDSA', 'PS256', 'RS256'])
  const asked = options.nonce === undefined ? undefined : nonces(options.nonce, resource, now)
  const keys = proofKeys()
  const lifetimeSeconds = maxAgeSeconds + 2 * futureTolerance

  async function prove(proofs: readonly string[], request: BoundRequest): Promise<HolderVerdict> {
    const [proof] = proofs
    if (proof === undefined || proofs.length > 1) return invalid('proof-count')
    const read = readProof(proof, { algorithms, maxAgeSeconds }, request, now() / 1000)
    if (typeof read === 'string') return invalid(read)
    const { algorithm, jwk, jti, nonce } = read
    const { jkt, target } = request
    if (!(await keys.matches(jwk, jkt))) return { outcome: 'unproven' }
    if (!(await keys.hasSigned(proof, algorithm, jwk, jkt))) return invalid('proof-signature')
    if (asked?.accepts(nonce) === false) return { outcome: 'nonce-needed', nonce: asked.current() }
    const name = JSON.stringify([jkt, jti, comparableUrl(target)])
    return firstUse(replay, hash('sha256', name, 'base64url'), lifetimeSeconds)
  }

  return { required, algorithms: Object.freeze([...algorithms]), prove }
}

function invalid(defect: ProofDefect): HolderVerdict {
  return { outcome: 'invalid-proof', defect }
}

function checkKinds(required: unknown, replay: Partial<ReplayStore> | null): void {
  if (typeof required !== 'boolean') refuse('required', 'must be true or false')
  if (typeof replay?.add !== 'function') refuse('replay', 'must be a replay store')
}
