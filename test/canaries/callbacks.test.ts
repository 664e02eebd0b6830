import type { ConsentAnswer } from 'castellan/testing'
import { describe, test } from 'vitest'
import { ask, consentOf } from '../transports/authorization-code/web-app.js'
import { canaries } from './canaries.js'
import { web } from './lives/web-consent.js'
import { canary } from './secrets.js'

describe('G26 B89 what a user brings back from the authorization server', () => {
  test.each<[string, ConsentAnswer]>([
    ['another issuer', { iss: 'https://evil.example.com' }],
    ['no issuer', { iss: null }],
    ['a refusal', { error: 'access_denied' }],
    ['an error of its own', { error: canary('error-of-the-server').replaceAll('+', '_') }],
    ['fewer scopes', { scopes: [] }],
  ])('shows nothing of a callback with %s', async (_, answer) => {
    const found = canaries()
    const world = await web(found)
    found.secrets.add('error of the server', answer.error === 'access_denied' ? undefined : answer.error)
    const consent = world.consent()
    const { url } = await consentOf(ask(consent))
    await found.attempt(consent.finish('alice', await world.app.as.consent(url, answer)))
    await found.attempt(ask(consent))
    await world.app.stop()
    found.expectSilence('state')
  })

  test('shows nothing of an answer that was changed on its way', async () => {
    const found = canaries()
    const world = await web(found)
    const changes: readonly ((callback: URL) => unknown)[] = [
      ({ searchParams }) => searchParams.set('code', canary('code')),
      ({ searchParams }) => searchParams.append('code', canary('code')),
      ({ searchParams }) => searchParams.set('state', canary('state')),
      ({ searchParams }) => searchParams.set('error', canary('error')),
      ({ searchParams }) => searchParams.delete('code'),
      (callback) => (callback.hash = canary('fragment')),
      (callback) => (callback.pathname = '/elsewhere'),
      (callback) => (callback.host = 'evil.example.com'),
    ]
    for (const change of changes) {
      const consent = world.consent()
      const { url } = await consentOf(ask(consent, 'bob'))
      const callback = new URL(await world.app.as.consent(url))
      change(callback)
      for (const name of ['code', 'state', 'error'])
        found.secrets.add(`changed ${name}`, callback.searchParams.get(name))
      await found.attempt(consent.finish('bob', callback.href))
    }
    await world.app.stop()
    found.expectSilence('changed code', 'changed state', 'changed error')
  })
})
