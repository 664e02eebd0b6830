import { KeyvPostgres } from '@keyv/postgres'
import KeyvRedis from '@keyv/redis'
import {
  fileAuthorizationStore,
  keyvAuthorizationStore,
  postgresLock,
  redisLock,
  StoreError,
  type AuthorizationStore,
} from 'castellan/store'
import { Keyv } from 'keyv'
import { Pool } from 'pg'
import { createClient } from 'redis'
import type { Command, HolderSetup, Report } from './holder-process.js'

/** A process that uses one record of a shared store, as it is told over its channel. */
const setup = JSON.parse(process.argv[2]!) as HolderSetup
const key = 'c'.repeat(64)
const commands: Command[] = []
let arrived: (() => void) | undefined

process.on('message', (command: Command) => {
  commands.push(command)
  arrived?.()
})
process.on('disconnect', () => process.exit())

async function nextCommand(): Promise<Command> {
  while (commands.length === 0) await new Promise<void>((resolve) => (arrived = resolve))
  return commands.shift()!
}

function report(message: Report): void {
  process.send!(message)
}

const keys = [{ id: 'shared', key: Buffer.from(setup.key, 'base64url') }]
const text = (value: Uint8Array | undefined) => (value === undefined ? '' : Buffer.from(value).toString())

async function openStore(): Promise<AuthorizationStore> {
  if (setup.kind === 'files') return fileAuthorizationStore({ directory: setup.directory, keys })
  const redis = setup.kind === 'redis'
  const keyv = redis ? new Keyv(new KeyvRedis(setup.url)) : new Keyv(new KeyvPostgres({ uri: setup.url }))
  if (setup.pauseBeforeWrite === true) {
    const { store } = keyv
    const set = store.set.bind(store)
    store.set = async (...words: unknown[]) => {
      report({ event: 'writing' })
      await nextCommand()
      return set(...words)
    }
  }
  const lock = redis
    ? redisLock(await createClient({ url: setup.url }).connect())
    : postgresLock(new Pool({ connectionString: setup.url }))
  return keyvAuthorizationStore({ keyv, lock, keys, namespace: 'shared', leaseMilliseconds: 1000 })
}

async function answer(store: AuthorizationStore, command: Command): Promise<void> {
  if (command.do === 'increment') {
    for (let n = 0; n < command.times; n++) {
      await store.withCredentials([key], async (records) => {
        const record = records.get(key)!
        const before = Number(text(await record.load()))
        await record.save(Buffer.from(String(before + 1)))
      })
    }
  }
  if (command.do === 'hold') {
    await store.withCredentials([key], async (records, { lost }) => {
      const record = records.get(key)!
      report({ event: 'holding', value: text(await record.load()) })
      for (let next = await nextCommand(); next.do === 'save'; next = await nextCommand()) {
        const failure = await record.save(Buffer.from(next.value)).then(
          () => undefined,
          (error: unknown) => (error as StoreError).code,
        )
        report({ event: 'saved', failure, lost: lost.aborted })
      }
    })
  }
  report({ event: 'done' })
}

const store = await openStore()
report({ event: 'ready' })
for (;;) {
  await answer(store, await nextCommand()).catch((error: unknown) => {
    report({ event: 'failed', failure: error instanceof StoreError ? error.code : String(error) })
  })
}
