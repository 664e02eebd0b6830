import { memoryAuthorizationStore, StoreError, type AuthorizationStore } from 'castellan/store'
import { ConsentRequiredError } from 'castellan/transports'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { webApp, clientOf, type WebApp } from './web-app.js'
import { whoami } from '../../fastify/guarded.js'

let app: WebApp
beforeAll(async () => {
  app = await webApp()
})
afterAll(() => app.stop())

/** A store that fails for a while after it has given its first transaction away. */
function failingAfterTake(): AuthorizationStore {
  const store = memoryAuthorizationStore()
  let failures = 0
  let isFirst = true
  return {
    withCredentials(...words) {
      if (failures-- > 0) return Promise.reject(new StoreError('ERR_STORE_UNAVAILABLE'))
      return store.withCredentials(...words)
    },
    transactions: {
      put: (...words) => store.transactions.put(...words),
      async take(...words) {
        const taken = await store.transactions.take(...words)
        if (isFirst && taken !== undefined) failures = 2
        isFirst &&= taken === undefined
        return taken
      },
    },
  }
}

test('B94 B113 a consent whose answer was taken and lost is told once, then another begins', async () => {
  const store = failingAfterTake()
  const consent = app.instance({ store: () => store })
  const client = clientOf(consent)
  const sentTo = async () => {
    const error: unknown = await client.call(whoami.definition, {}).catch((reason: unknown) => reason)
    expect(error).toBeInstanceOf(ConsentRequiredError)
    return (error as ConsentRequiredError).url
  }
  const first = await sentTo()
  const lost = consent.finish('alice', await app.as.consent(first))
  await expect(lost).rejects.toMatchObject({ code: 'ERR_STORE_UNAVAILABLE' })
  expect(await sentTo()).toBe(first)
  const again = consent.finish('alice', await app.as.consent(first))
  await expect(again).rejects.toMatchObject({ code: 'ERR_CONSENT', reason: 'mismatch' })
  const second = await sentTo()
  expect(second).not.toBe(first)
  await consent.finish('alice', await app.as.consent(second))
  await expect(client.call(whoami.definition, {})).resolves.toMatchObject({ subject: 'alice' })
})
