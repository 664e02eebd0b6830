import { inspect } from 'node:util'
import { publicClientMetadata, secretBasic, secretPost } from 'castellan/transports'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { protectedServer } from '../protected-server.js'
import { ask, consented, consentOf, redirectUri, webApp, webClient, write, type WebApp } from './web-app.js'

let app: WebApp
beforeEach(async () => {
  app = await webApp({
    clients: [webClient, { clientId: 'shop', clientSecret: 'canary-secret', redirectUris: [redirectUri] }],
  })
})
afterEach(() => app.stop())

const thrown = (call: Promise<unknown>) =>
  call.then(
    () => {
      throw new Error('The call did not fail')
    },
    (error: unknown) => error,
  )

/** Everything a log could show of a value. */
const shown = (value: unknown) =>
  [
    String(value),
    JSON.stringify(value),
    inspect(value, { depth: 9, getters: true }),
    value instanceof Error ? value.stack : '',
  ].join('\n')

describe('B61 B89 G26 nothing secret is shown', () => {
  test('by what tells a host to send its user away, or by a consent that is asked for', async () => {
    const consent = app.instance()
    const error = await consentOf(ask(consent))
    const request = await consent.begin('alice')
    const { searchParams } = new URL(request.url)
    for (const name of ['state', 'code_challenge']) {
      expect(shown(error)).not.toContain(searchParams.get(name))
      expect(shown(request)).not.toContain(searchParams.get(name))
    }
    expect(shown([consent, consent.transport('alice')])).not.toContain(searchParams.get('state'))
  })

  test('by errors of a callback, of an exchange and of a refresh', async () => {
    const consent = app.instance()
    const { url } = await consentOf(ask(consent))
    const callback = await app.as.consent(url)
    const wrong = new URL(callback)
    wrong.searchParams.set('code', 'canary-code')
    wrong.searchParams.set('error_description', 'canary-words')
    wrong.pathname = '/other'
    const errors = [await thrown(consent.finish('mallory', callback))]
    const end = app.as.fault('token', 'bad-json')
    errors.push(await thrown(consent.finish('alice', callback)))
    end()
    errors.push(await thrown(consent.finish('alice', wrong.href)))
    await consented(app, consent)
    app.refused.add('*')
    errors.push(await thrown(ask(app.instance())))
    errors.push(await thrown(write(app.instance())))
    const sent = app.as.received.flatMap(({ parameters }) =>
      ['code', 'code_verifier', 'refresh_token', 'state'].flatMap((name) => parameters[name] ?? []),
    )
    const tokens = app.seen.flatMap(({ token }) => token ?? [])
    const secrets = ['canary', new URL(callback).searchParams.get('state')!, ...sent, ...tokens]
    expect(secrets.length).toBeGreaterThan(6)
    for (const secret of secrets) expect(shown(errors)).not.toContain(secret)
  })
})

describe('who the application is', () => {
  test.each([
    ['B62 a secret in the form', secretPost],
    ['B63 a secret in the header', secretBasic],
  ])('%s is sent to the token endpoint only', async (_, make) => {
    const registration = make({
      issuer: app.as.issuer,
      clientId: 'shop',
      clientSecret: 'canary-secret',
      allowLoopbackHttp: true,
    })
    const consent = app.instance({ registration })
    await consented(app, consent)
    expect(await ask(consent)).toMatchObject({ subject: 'alice' })
    expect(JSON.stringify(app.as.received.filter(({ endpoint }) => endpoint !== 'token'))).not.toContain(
      'canary',
    )
  })

  test('B55 B57 is told by its metadata document', async () => {
    const clientId = 'https://app.example.com/oauth/client.json'
    const registration = publicClientMetadata({ issuer: app.as.issuer, clientId, allowLoopbackHttp: true })
    const consent = app.instance({ registration })
    await consented(app, consent)
    expect(app.as.received.map(({ parameters }) => parameters['client_id'])).toEqual([clientId, clientId])
  })

  test('B56 B123 F9 at another authorization server it needs its own registration and its own consent', async () => {
    await consented(app, app.instance())
    const other = await protectedServer({ ofUsers: true, server: { clients: [webClient] } })
    const moved = app.instance({ endpoint: other.endpoint })
    await expect(ask(moved)).rejects.toMatchObject({ code: 'ERR_REGISTRATION', offered: [other.as.issuer] })
    expect(other.seen.every(({ token }) => token === undefined)).toBe(true)
    const registration = (issuer: string) => app.registration({ issuer })
    const both = app.instance({ endpoint: other.endpoint, registration })
    const { url } = await consentOf(ask(both))
    await both.finish('alice', await other.as.consent(url))
    expect(await ask(both)).toMatchObject({ subject: 'alice' })
    expect(await ask(app.instance())).toMatchObject({ subject: 'alice' })
    await other.stop()
  })
})
