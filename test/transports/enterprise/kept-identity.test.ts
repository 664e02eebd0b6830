import { inspect } from 'node:util'
import { memoryAuthorizationStore, StoreError, type AuthorizationStore } from 'castellan/store'
import type { ClientTransport } from 'castellan/transports'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { whoami, writing } from '../../fastify/guarded.js'
import { atProvider, atServer, enterprise, over, type Enterprise } from './signed-on.js'

let world: Enterprise
beforeEach(async () => {
  world = await enterprise()
})
afterEach(() => world.stop())

const ask = (made: ClientTransport) => over(made).call(whoami.definition, {})
const parametersAt = (side: 'idp' | 'as') => world[side].received.map(({ parameters }) => parameters)

describe('when answers are lost', () => {
  test('C24 B112 B113 an assertion whose answer was lost is never sent again; a fresh one is', async () => {
    const store = memoryAuthorizationStore()
    const first = await world.idp.signOn({ clientId: atProvider.clientId, as: 'saml2' })
    let current = first
    const identity = world.identity('saml2', { source: () => Promise.resolve(current) })
    const made = world.transport({ store, identity })
    const end = world.idp.fault('token', 'disconnect')
    await expect(ask(made)).rejects.toMatchObject({ code: 'ERR_AUTHORIZATION_UNAVAILABLE' })
    end()
    await expect(ask(made)).rejects.toMatchObject({ code: 'ERR_IDENTITY_REQUIRED' })
    await expect(ask(world.transport({ store, identity }))).rejects.toMatchObject({
      code: 'ERR_IDENTITY_REQUIRED',
    })
    expect(world.legs()).toEqual(['exchange'])
    current = await world.idp.signOn({ clientId: atProvider.clientId, as: 'saml2' })
    expect(await ask(made)).toMatchObject({ subject: 'alice' })
  })

  test('B105 an identity that certainly was not used is kept', async () => {
    const source = [await world.idp.signOn({ clientId: atProvider.clientId, as: 'refresh_token' })]
    const identity = world.identity('refresh_token', { source: () => Promise.resolve(source[0]) })
    const made = world.transport({ identity })
    const end = world.idp.fault('token', 'outage')
    await expect(ask(made)).rejects.toMatchObject({ code: 'ERR_AUTHORIZATION_UNAVAILABLE' })
    end()
    expect(await ask(made)).toMatchObject({ subject: 'alice' })
  })

  test('B112 D14 a store that cannot be written sends nothing anywhere', async () => {
    const store = memoryAuthorizationStore()
    const broken = { save: () => Promise.reject(new StoreError('ERR_STORE_UNAVAILABLE')) }
    const failing: AuthorizationStore = {
      transactions: store.transactions,
      withCredentials: (keys, use, options) =>
        store.withCredentials(
          keys,
          (records, lease) =>
            use(new Map([...records].map(([key, own]) => [key, { ...own, ...broken }])), lease),
          options,
        ),
    }
    for (const kind of ['id_token', 'saml2', 'refresh_token'] as const) {
      const made = world.transport({ store: failing, identity: world.identity(kind) })
      await expect(ask(made)).rejects.toMatchObject({ code: 'ERR_STORE_UNAVAILABLE' })
    }
    expect(world.legs()).toEqual([])
    expect(world.server.seen.filter(({ token }) => token !== undefined)).toEqual([])
  })

  test('C20 a host that has no sign-on, or fails, is told so', async () => {
    const nothing = world.transport({
      identity: world.identity('id_token', { source: () => Promise.resolve() }),
    })
    await expect(ask(nothing)).rejects.toMatchObject({ code: 'ERR_IDENTITY_REQUIRED' })
    const failing = world.identity('saml2', { source: () => Promise.reject(new Error('no session')) })
    await expect(ask(world.transport({ identity: failing }))).rejects.toThrow('no session')
    expect(world.legs()).toEqual([])
  })
})

test('B61 C30 G26 G62 secrets, sign-ons, ID-JAGs and tokens are in no error, and in the store only what is kept', async () => {
  const saved: string[] = []
  const store = memoryAuthorizationStore()
  const watched: AuthorizationStore = {
    transactions: store.transactions,
    withCredentials: (keys, use, options) =>
      store.withCredentials(
        keys,
        (records, lease) => {
          const watching = [...records].map(([key, own]) => {
            const save = (value: Uint8Array) => {
              saved.push(Buffer.from(value).toString('utf8'))
              return own.save(value)
            }
            return [key, { ...own, load: () => own.load(), remove: () => own.remove(), save }] as const
          })
          return use(new Map(watching), lease)
        },
        options,
      ),
  }
  const made = world.transport({ store: watched, identity: world.identity('saml2') })
  await ask(made)
  const failures: unknown[] = []
  world.as.alter('redemption', { error: 'invalid_grant' })
  await over(made)
    .call(writing.definition, {})
    .catch((error: unknown) => failures.push(error))
  world.idp.alter('sign-on-exchange', { error: 'access_denied' })
  await over(made)
    .call(writing.definition, {})
    .catch((error: unknown) => failures.push(error))
  expect(failures).toHaveLength(2)
  const shown = [...failures, made].map((each) => inspect(each, { depth: 12, showHidden: true })).join('')
  const secrets = [...parametersAt('idp').map((each) => each['subject_token']), ...idJags()]
  for (const secret of [...secrets, atProvider.clientSecret, atServer.clientSecret])
    expect(shown).not.toContain(secret)
  for (const secret of [...idJags(), 'canary']) expect(saved.join('')).not.toContain(secret)
})

const idJags = () => parametersAt('as').map((each) => each['assertion'] ?? '')
