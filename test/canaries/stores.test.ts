import { randomBytes } from 'node:crypto'
import { chmod, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  fileAuthorizationStore,
  keyvAuthorizationStore,
  sealingKeyFile,
  type AuthorizationStore,
  type SealingKey,
} from 'castellan/store'
import { KeyvPostgres } from '@keyv/postgres'
import KeyvRedis from '@keyv/redis'
import { Keyv, type KeyvStoreAdapter } from 'keyv'
import { describe, expect, onTestFinished, test } from 'vitest'
import { ask, consentOf, write } from '../transports/authorization-code/web-app.js'
import { canaries, type Canaries } from './canaries.js'
import { web } from './lives/web-consent.js'
import { canary } from './secrets.js'

/** A backend of sealed texts that a test can read and spoil. */
interface Backend {
  store(keys: readonly SealingKey[]): AuthorizationStore
  texts(): Promise<readonly string[]>
  /** Writes something else over every text. */
  spoil(change: (text: string) => string): Promise<unknown>
  /** Makes the backend fail, if it can, with an error that repeats what it was given. */
  fail(): void
}

class EchoingMap extends Map<string, unknown> {
  isDown = false
  override set(key: string, value: unknown): this {
    if (this.isDown) throw new Error(`Could not write ${key}: ${String(value)}`)
    return super.set(key, value)
  }
}

function keyvBackend(): Promise<Backend> {
  const map = new EchoingMap()
  const keyv = new Keyv({ store: map })
  return Promise.resolve({
    store: (keys) => keyvAuthorizationStore({ keyv, lock: 'single-process', keys, namespace: 'alice' }),
    texts: () => Promise.resolve([...map].flat().map(String)),
    spoil: async (change) => {
      for (const [key, value] of map) map.set(key, change(String(value)))
    },
    fail: () => void (map.isDown = true),
  })
}

async function fileBackend(): Promise<Backend> {
  const directory = await mkdtemp(join(tmpdir(), 'castellan-canaries-'))
  onTestFinished(() => rm(directory, { recursive: true }))
  const files = async () =>
    (await readdir(directory)).filter((name) => name.endsWith('.sealed')).map((name) => join(directory, name))
  const read = (file: string) => readFile(file, 'utf8')
  return {
    store: (keys) => fileAuthorizationStore({ directory, keys }),
    texts: async () => Promise.all((await files()).map(read)),
    spoil: async (change) => {
      for (const file of await files()) await writeFile(file, change(await read(file)))
    },
    fail: () => undefined,
  }
}

/** A key that nobody may hear of. */
function sealing({ secrets }: Canaries, id: string): SealingKey {
  const key = randomBytes(32)
  secrets.addBytes('sealing key', key)
  return { id, key }
}

describe.each([
  ['keyv', keyvBackend],
  ['files', fileBackend],
])('G26 D7 grants in %s', (_, make) => {
  test('are sealed: neither what is kept nor what is said holds a secret, whatever becomes of the records', async () => {
    const found = canaries()
    const backend = await make()
    const own = sealing(found, 'own')
    const store = backend.store([own])
    const { app, consent: instance } = await web(found, undefined, { required: true }, store)
    onTestFinished(() => app.stop())
    const consent = instance()
    const { url } = await consentOf(ask(consent))
    found.seen('backend', await backend.texts())
    await consent.finish('alice', await app.as.consent(url))
    expect(await ask(consent)).toMatchObject({ subject: 'alice' })
    const kept = await backend.texts()
    expect(kept.length).toBeGreaterThan(0)
    found.seen('backend', kept)
    for (const text of kept) found.seen('backend', Buffer.from(text, 'base64url').toString('latin1'))
    found.seen('store', store, backend.store([sealing(found, 'other'), own]))

    const stranger = sealing(found, 'own')
    const others = [backend.store([stranger]), backend.store([sealing(found, 'other')])]
    for (const other of others) {
      const elsewhere = instance(other)
      await expect(ask(elsewhere)).rejects.toMatchObject({ code: 'ERR_STORE_CORRUPT' })
      await found.attempt(ask(elsewhere))
      await found.attempt(elsewhere.finish('alice', url))
    }
    for (const other of others) await found.attempt(instance(other).forget('alice'))
    backend.fail()
    for (const { token } of app.seen) if (token !== undefined) app.refused.add(token)
    await found.attempt(ask(instance()))
    await found.attempt(write(instance()))
    const spoiled = await make()
    const second = await web(found, undefined, undefined, spoiled.store([own]))
    await consentOf(ask(second.consent()))
    for (const change of [
      (text: string) => text.slice(0, -8),
      () => '{}',
      () => '',
      () => '\u0000'.repeat(99),
    ]) {
      await spoiled.spoil(change)
      await found.attempt(ask(second.consent()))
      await found.attempt(second.consent().forget('alice'))
    }
    await second.app.stop()
    expect(found.heard.get('error')).toBeGreaterThan(4)
    found.expectSilence(
      'sealing key',
      'accessToken',
      'refreshToken',
      'codeVerifier',
      'd',
      'state',
      'client_secret',
    )
  })
})

test.each<[string, (password: string) => KeyvStoreAdapter]>([
  [
    'Redis',
    (password) => {
      const url = `redis://user:${password}@127.0.0.1:9`
      return new KeyvRedis({ url, disableOfflineQueue: true, socket: { reconnectStrategy: false } })
    },
  ],
  ['PostgreSQL', (password) => new KeyvPostgres({ uri: `postgresql://user:${password}@127.0.0.1:9/grants` })],
])('G26 the password of a %s that is not reached is in no error', async (_, make) => {
  const found = canaries()
  const password = canary('password').replaceAll(/\W/g, '_')
  found.secrets.add('password', password)
  const keyv = new Keyv(make(password))
  keyv.on('error', found.caught)
  const store = keyvAuthorizationStore({
    keyv,
    lock: 'single-process',
    keys: [sealing(found, 'own')],
    namespace: 'alice',
  })
  const key = 'a'.repeat(64)
  await found.attempt(store.withCredentials([key], (records) => records.get(key)!.load()))
  await found.attempt(store.withCredentials([key], (records) => records.get(key)!.remove()))
  await found.attempt(store.transactions.take(key))
  found.seen('store', store)
  await keyv.disconnect().catch(() => undefined)
  expect(found.heard.get('error')).toBeGreaterThan(2)
  found.expectSilence('password')
})

test('G26 D7 a key in a file is shown by no error about it', async () => {
  const found = canaries()
  const directory = await mkdtemp(join(tmpdir(), 'castellan-canaries-'))
  onTestFinished(() => rm(directory, { recursive: true }))
  const path = join(directory, 'key')
  const own = (await sealingKeyFile(path)) as { readonly id: string; readonly key: Uint8Array }
  found.secrets.addBytes('sealing key', own.key)
  found.seen('id', own.id)
  await chmod(path, 0o644)
  await found.attempt(sealingKeyFile(path))
  await chmod(path, 0o600)
  await writeFile(path, Buffer.from(own.key.subarray(0, 31)).toString('base64url'))
  await found.attempt(sealingKeyFile(path))
  await found.attempt(sealingKeyFile(join(path, 'within')))
  for (const keys of [[{ id: 'short', key: own.key.subarray(0, 31) }], [own, own], [{ ...own, id: '' }]])
    await found.attempt(Promise.resolve().then(() => fileAuthorizationStore({ directory, keys })))
  expect(found.heard.get('error')).toBeGreaterThan(5)
  found.expectSilence('sealing key')
})
