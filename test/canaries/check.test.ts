import { memoryAuthorizationStore } from 'castellan/store'
import Fastify from 'fastify'
import { describe, expect, test } from 'vitest'
import { takeFound } from '../watched-log/secrets.js'
import { ask, consented, webApp } from '../transports/authorization-code/web-app.js'
import { canaries, type Canaries } from './canaries.js'
import { recordedStore } from './recorded-store.js'
import { canary } from './secrets.js'

const secret = canary('planted')

const spellings: readonly (readonly [string, string])[] = [
  ['whole', secret],
  ['in the middle of words', `refused${secret}!`],
  ['its first 16 characters', `${secret.slice(0, 16)}…`],
  ['its last 16 characters', `…${secret.slice(-16)}`],
  ['percent-encoded', encodeURIComponent(secret)],
  ['in base64', Buffer.from(secret).toString('base64')],
  ['in base64 behind one character', Buffer.from(`:${secret}`).toString('base64')],
  ['in base64url behind two', Buffer.from(`a:${secret}`).toString('base64url')],
  ['in hexadecimal', Buffer.from(secret).toString('hex')],
]

type Plant = (found: Canaries, text: string) => unknown

const places: readonly (readonly [where: string, plant: Plant])[] = [
  ['log', (_, text) => Fastify().log.trace({ deep: { text } })],
  ['log', (_, text) => process.stdout.write(`${text}\n`)],
  ['log', (_, text) => process.stderr.write(`${text}\n`)],
  ['console', (_, text) => console.warn('warned', { text })],
  ['error', ({ caught }, text) => caught(new Error(text))],
  ['error', ({ caught }, text) => caught(new Error('', { cause: new Error('', { cause: { text } }) }))],
  ['error', ({ caught }, text) => caught(new AggregateError([new Error(text)]))],
  ['error', ({ caught }, text) => caught(Object.defineProperty(new Error(), 'hidden', { value: text }))],
  ['error', ({ attempt }, text) => attempt(Promise.reject(new Error(text)))],
  ['audit', ({ audit }, text) => audit({ time: 1, outcome: 'allowed', requestId: text })],
  ['span', ({ span }, text) => span('mcp.handler', text, () => 1)],
  ['transport', ({ seen }, text) => seen('transport', { within: new Map([['a', { text }]]) })],
]

describe('G26 a secret that comes out is found', () => {
  test.each(spellings)('%s', (_, text) => {
    const found = canaries()
    found.secrets.add('planted', secret)
    found.seen('transport', text)
    expect(found.leaks()).toMatchObject([{ where: 'transport', secrets: ['planted'] }])
    expect(() => found.expectSilence('planted')).toThrow()
  })

  test.each(places)('in: %s', async (where, plant) => {
    const found = canaries()
    found.secrets.add('planted', secret)
    await plant(found, 'nothing secret')
    expect(found.leaks()).toEqual([])
    await plant(found, secret)
    expect(found.leaks()).toContainEqual(expect.objectContaining({ where, secrets: ['planted'] }))
  })

  test('in a warning of the process', async () => {
    const found = canaries()
    found.secrets.add('planted', secret)
    process.emitWarning(`careful with ${secret}`)
    await new Promise(setImmediate)
    expect(found.leaks()).toContainEqual(expect.objectContaining({ where: 'warning' }))
  })

  test('among all that passed on the wire or was kept, and silence without any of them is no proof', async () => {
    const found = canaries()
    const app = await webApp()
    const store = recordedStore(found.secrets)
    await consented(app, app.instance({ store: () => store }))
    expect(() => found.expectSilence('code')).not.toThrow()
    expect(() => found.expectSilence('client_assertion')).toThrow()
    await ask(app.instance({ store: () => store }))
    const kept = ['code_verifier', 'access_token', 'refresh_token', 'state', 'accessToken', 'codeVerifier']
    found.expectSilence(...kept)
    for (const { parameters } of app.as.received) {
      const { code, code_verifier: verifier } = parameters
      if (code === undefined || verifier === undefined) continue
      found.seen('transport', { code })
      found.seen('transport', { verifier })
    }
    expect(found.leaks().map(({ secrets }) => secrets[0])).toEqual(['code', 'codeVerifier'])
    await app.stop()
  })

  test('once the product has said it in its own words', async () => {
    const found = canaries()
    const app = await webApp()
    const consent = app.instance({ store: () => memoryAuthorizationStore() })
    await consented(app, consent)
    const [token] = app.seen.flatMap((each) => each.token ?? [])
    expect(token).toBeUndefined()
    await ask(consent)
    for (const each of app.seen) app.app.log.info(each, 'seen')
    expect(found.leaks().map(({ where }) => where)).toEqual(['log'])
    expect(takeFound()).toHaveLength(1)
    await app.stop()
  })
})
