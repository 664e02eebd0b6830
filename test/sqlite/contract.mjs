/** The contract of the store on Keyv over SQLite: `npm ci && npm test` in this folder, after `npm ci` in the root. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { KeyvSqlite } from '@keyv/sqlite'
import { Keyv } from 'keyv'
import { authorizationStoreKit, keyvAuthorizationStore } from '../../src/store/index.ts'

const keys = [{ id: 'test', key: randomBytes(32) }]
const damaged = JSON.stringify({ value: 'nothing a store has written' })
const directory = await mkdtemp(join(tmpdir(), 'castellan-sqlite-'))
const uri = `sqlite://${join(directory, 'grants.sqlite')}`
const adapters = []

/** A connection of its own to the one file, as another instance of an application would have. */
function connection() {
  const adapter = new KeyvSqlite({ uri, busyTimeout: 10_000 })
  adapters.push(adapter)
  return new Keyv(adapter)
}

const store = (keyv, namespace) => keyvAuthorizationStore({ keyv, lock: 'single-process', keys, namespace })

const shared = connection()
const damageRecords = async () => {
  await adapters[0].query('UPDATE keyv SET value = ?', damaged)
}
const backends = {
  'one connection': { open: (namespace) => store(shared, namespace), damageRecords },
  'a connection for each store': { open: (namespace) => store(connection(), namespace), damageRecords },
}

before(() => shared.get('the table is made with the first question'))
after(async () => {
  await Promise.all(adapters.map((adapter) => adapter.disconnect()))
  await rm(directory, { recursive: true, force: true })
})

for (const [name, backend] of Object.entries(backends)) {
  describe(`keyv over SQLite, ${name}`, () => {
    for (const check of authorizationStoreKit(backend)) test(check.name, () => check.run())
  })
}

test('D23 a grant is there after a restart, and nothing of it is in clear in the file', async () => {
  const key = 'a'.repeat(64)
  await store(connection(), 'alice').withCredentials([key], (records) =>
    records.get(key).save(Buffer.from('a grant of alice')),
  )
  const found = await store(connection(), 'alice').withCredentials([key], (records) =>
    records.get(key).load(),
  )
  assert.equal(Buffer.from(found).toString(), 'a grant of alice')
  for (const file of await readdir(directory)) {
    const bytes = await readFile(join(directory, file))
    assert.ok(!bytes.includes('alice') && !bytes.includes(key))
  }
})
