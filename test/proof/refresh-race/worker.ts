import { setTimeout as sleep } from 'node:timers/promises'
import { StoreError } from 'castellan/store'
import type { WebConsent } from 'castellan/transports'
import { application, call } from '../grants/application.js'
import { openBackend } from '../grants/backend.js'
import { watchedStore, type Watch } from '../grants/watched-store.js'
import type { Command, Report, WorkerSetup } from './worker-process.js'

/** One process of the application: makes as many calls at once as it is told, and stops where it is told to. */
const { place, backend: setup, stopAt, failAt } = JSON.parse(process.argv[2]!) as WorkerSetup
const backend = await openBackend(setup)
const report = (message: Report) => void process.send!(message)

const watch: Watch = async (step) => {
  if (step === failAt) throw new StoreError('ERR_STORE_UNAVAILABLE')
  if (step !== stopAt) return
  report({ event: 'stopped' })
  await sleep(2 ** 30)
}

let consent: WebConsent | undefined
process.on('disconnect', () => process.exit())
process.on('message', ({ calls }: Command) => {
  void run(calls)
})

/** Each time as an instance that has nothing in memory. */
async function run(calls: number): Promise<void> {
  await consent?.close()
  const fresh = application(place, (userId) => watchedStore(backend.store(userId), watch))
  consent = fresh
  report({ event: 'begun' })
  const outcomes = await Promise.all(Array.from({ length: calls }, () => call(fresh)))
  report({ event: 'called', outcomes })
}

report({ event: 'ready' })
