import { setImmediate as turn } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import { oneAtATime } from '../../../src/transports/authorization-code/one-at-a-time.js'
import type { ReadyGrant } from '../../../src/transports/grant/grant-record.js'

test('holds none of the tokens it has waited for', async () => {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  const { signal } = new AbortController()
  const given: WeakRef<ReadyGrant>[] = []
  const obtain = oneAtATime(() => {
    const grant = { type: 'ready', accessToken: 'token' } as ReadyGrant
    given.push(new WeakRef(grant))
    return Promise.resolve(grant)
  })
  for (let times = 0; times < 3; times += 1) await obtain({}, signal)
  await turn()
  collect()
  expect(given[0]?.deref()).toBeUndefined()
})
