import { randomBytes } from 'node:crypto'
import { decodeJwt } from 'jose'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { ask, consented, webApp, type WebApp } from '../authorization-code/web-app.js'

let app: WebApp
beforeEach(async () => {
  const dpop = { required: true, nonce: { secret: randomBytes(32) } }
  app = await webApp({ dpopNonces: true }, dpop)
})
afterEach(() => app.stop())

const keys = () =>
  app.seen.flatMap(({ token }) =>
    token === undefined ? [] : (decodeJwt(token)['cnf'] as { jkt: string }).jkt,
  )

test('A61 RFC 9449 §5 §10 consent, calls and refreshes are bound to one key, across instances and nonces', async () => {
  await consented(app, app.instance({ dpop: true }))
  expect(await ask(app.instance({ dpop: true }))).toMatchObject({ subject: 'alice' })
  for (const { token } of app.seen) if (token !== undefined) app.refused.add(token)
  app.as.rotateDpopNonce()
  expect(await ask(app.instance({ dpop: true }))).toMatchObject({ subject: 'alice' })
  const used = app.as.received.map(({ parameters }) => parameters['grant_type'])
  expect(used.filter((grant) => grant === 'refresh_token')).toHaveLength(2)
  const [jkt] = new Set(keys())
  expect(new Set(keys()).size).toBe(1)
  const [asked] = app.as.received.filter(({ endpoint }) => endpoint === 'authorization')
  expect(asked?.parameters['dpop_jkt']).toBe(jkt)
})
