import { createHash, randomBytes } from 'node:crypto'
import { CompactEncrypt, compactDecrypt, decodeProtectedHeader } from 'jose'
import { DefinitionError, WireError } from '../../errors.js'
import { isJsonObject, type JsonObject } from '../../protocol/json.js'
import { abortable } from '../../network/abortable.js'
import type { ReplayStore } from '../../resource-server/possession/replay-store.js'

/** How what travels between the rounds of a call is sealed. */
export interface InputStateOptions {
  /**
   * Keys of 32 bytes all instances share: the first one seals, all of them open. To rotate, add the new key last
   * everywhere, then move it to the front, then drop the old one. Left out, a random key of this process.
   */
  readonly keys?: readonly { readonly id: string; readonly key: Uint8Array }[]
  /** How long a question may take to be answered, 1 to 86,400; 600 when left out. */
  readonly lifetimeSeconds?: number
  /** Lets each state be used once; left out, it may be sent again until it ends. */
  readonly singleUse?: ReplayStore
}

/** What travels from one round of a call to the next. */
export interface Carried {
  /** How often was asked. */
  readonly round: number
  /** Answers of earlier rounds, as the client sent them. */
  readonly answers: JsonObject
  /** What the handler left. */
  readonly value?: unknown
}

/** Seals what is carried for one call, and opens it for that call only. */
export interface StateSeal {
  /** Throws `ERR_PARAMS` when it is more than can be carried. */
  seal(carried: Carried, binding: string): Promise<string>
  /** Throws `ERR_PARAMS` for whatever was not sealed here for this call, or has ended, without saying which. */
  open(text: unknown, binding: string): Promise<Carried>
}

/** Bytes of JSON that are sealed, and characters of a sealed text. */
const most = 12 * 1024
const longest = 20 * 1024

/** Milliseconds the store of used states may take. */
const longestUseMs = 2_000

/** Seals with JWE: `dir`, A256GCM and the id of the key (RFC 7516). Throws `ERR_OPTION`. */
export function stateSeal(options: InputStateOptions): StateSeal {
  const { keys, lifetimeSeconds = 600, singleUse } = options
  checkOptions(options)
  const known = (keys ?? [{ id: 'process', key: randomBytes(32) }]).map(({ id, key }) => ({
    id,
    key: Uint8Array.from(key),
  }))
  const [first] = known
  const keyOf = new Map(known.map(({ id, key }) => [id, key]))
  return {
    async seal({ round, answers, value }, binding) {
      const ends = Math.floor(Date.now() / 1000) + lifetimeSeconds
      const plain = Buffer.from(JSON.stringify({ binding, ends, round, answers, value }))
      if (plain.length > most) throw new WireError('ERR_PARAMS', 'The answers are more than can be carried')
      const header = { alg: 'dir', enc: 'A256GCM', kid: first?.id ?? '' }
      return await new CompactEncrypt(plain)
        .setProtectedHeader(header)
        .encrypt(first?.key ?? new Uint8Array())
    },
    async open(text, binding) {
      const sealed =
        typeof text === 'string' && text.length <= longest ? await opened(text, keyOf) : undefined
      if (typeof text !== 'string' || sealed?.binding !== binding) throw refused()
      const left = sealed.ends - Date.now() / 1000
      if (left <= 0) throw refused()
      if (singleUse !== undefined && !(await isFirstUse(singleUse, text, Math.ceil(left)))) throw refused()
      return sealed
    },
  }
}

interface Sealed extends Carried {
  readonly binding: string
  readonly ends: number
}

async function opened(text: string, keyOf: ReadonlyMap<string, Uint8Array>): Promise<Sealed | undefined> {
  try {
    if (!isCanonical(text)) return undefined
    const key = keyOf.get(decodeProtectedHeader(text).kid ?? '')
    if (key === undefined) return undefined
    const { plaintext } = await compactDecrypt(text, key, {
      keyManagementAlgorithms: ['dir'],
      contentEncryptionAlgorithms: ['A256GCM'],
    })
    return JSON.parse(Buffer.from(plaintext).toString()) as Sealed
  } catch {
    return undefined
  }
}

/** Base64 of one spelling only, so that one state is one text. */
function isCanonical(text: string): boolean {
  return text.split('.').every((part) => Buffer.from(part, 'base64url').toString('base64url') === part)
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('base64url')
}

/** Rejects when the store fails or takes too long: nobody knows then whether the state was used. */
async function isFirstUse(store: ReplayStore, text: string, lifetimeSeconds: number): Promise<boolean> {
  const added = Promise.resolve(store.add(digest(text), lifetimeSeconds))
  return await abortable(added, AbortSignal.timeout(longestUseMs))
}

function refused(): WireError {
  return new WireError('ERR_PARAMS', '`requestState` is not valid for this request, or has expired')
}

function checkOptions({ keys, lifetimeSeconds = 1, singleUse }: InputStateOptions): void {
  const wrong = (what: string) => new DefinitionError(`\`inputState.${what}`, 'ERR_OPTION')
  const list: unknown = keys ?? [{ id: 'x', key: new Uint8Array(32) }]
  if (!Array.isArray(list) || list.length === 0 || !list.every(isKey)) {
    throw wrong('keys` must be a list of { id, key }, with an id of 1 to 64 characters and a key of 32 bytes')
  }
  if (new Set(keys?.map(({ id }) => id)).size !== (keys?.length ?? 0)) throw wrong('keys` has an id twice')
  const whole = Number.isSafeInteger(lifetimeSeconds)
  if (!whole || lifetimeSeconds < 1 || lifetimeSeconds > 86_400) {
    throw wrong('lifetimeSeconds` must be a whole number, 1 to 86,400')
  }
  const store: unknown = singleUse
  if (store === undefined || (isJsonObject(store) && typeof store['add'] === 'function')) return
  throw wrong('singleUse` must be a replay store')
}

function isKey(item: unknown): boolean {
  if (!isJsonObject(item)) return false
  const { id, key } = item
  return typeof id === 'string' && /^[\w.-]{1,64}$/.test(id) && key instanceof Uint8Array && key.length === 32
}
