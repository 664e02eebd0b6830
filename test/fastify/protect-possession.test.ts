import Fastify from 'fastify'
import { protect, type ProtectOptions } from 'castellan/fastify'
import { jwtResourceServer, withDpop } from 'castellan/resource-server'
import { dpopKey, testAuthorizationServer } from 'castellan/testing'
import { expect, onTestFinished, test } from 'vitest'
import { api } from './protected-app.js'

async function bound(options: Partial<ProtectOptions> = {}) {
  const as = await testAuthorizationServer()
  const auth = withDpop(jwtResourceServer({ resource: api, issuer: as.issuer, allowLoopbackHttp: true }))
  const app = Fastify({ rewriteUrl: ({ url = '/' }) => url.replace('/public', '') })
  onTestFinished(async () => {
    await app.close()
    await auth.close()
    await as.close()
  })
  await app.register(protect, { auth, ...options })
  app.get('/notes/:id', ({ principal }) => principal.subject)
  const key = await dpopKey()
  const token = await as.mint({ resource: api, claims: { cnf: { jkt: key.jkt } } })
  return async (path: string, url: string) => {
    const dpop = await key.proof({ method: 'GET', url, token })
    return app.inject({ url: path, headers: { authorization: `DPoP ${token}`, dpop } })
  }
}

test('G10 a proof names the origin of the resource and the path as received, without query', async () => {
  const ask = await bound()
  expect((await ask('/notes/1?q=2', 'https://api.example.com/notes/1')).body).toBe('alice')
  expect((await ask('/public/notes/1', 'https://api.example.com/public/notes/1')).body).toBe('alice')
  const wrong = await ask('/notes/1', 'https://api.example.com/notes/2')
  expect([wrong.statusCode, wrong.headers['cache-control']]).toEqual([401, 'no-store'])
  expect(String(wrong.headers['www-authenticate'])).toContain('error="invalid_dpop_proof"')
})

test('G10 behind a proxy that changes paths the host says what the client asked for', async () => {
  const ask = await bound({ publicUrl: ({ raw }) => `https://edge.example.com/v1${raw.url ?? ''}` })
  expect((await ask('/notes/1', 'https://edge.example.com/v1/notes/1')).body).toBe('alice')
  expect((await ask('/notes/1', 'https://api.example.com/notes/1')).statusCode).toBe(401)
})

test('G10 a proof is good once, however the path of the second request is spelled', async () => {
  const as = await testAuthorizationServer()
  const auth = withDpop(jwtResourceServer({ resource: api, issuer: as.issuer, allowLoopbackHttp: true }))
  const app = Fastify()
  onTestFinished(async () => {
    await app.close()
    await auth.close()
    await as.close()
  })
  await app.register(protect, { auth })
  app.get('/notes', () => 'notes')
  const key = await dpopKey()
  const token = await as.mint({ resource: api, claims: { cnf: { jkt: key.jkt } } })
  const dpop = await key.proof({ method: 'GET', url: 'https://api.example.com/notes', token })
  const headers = { authorization: `DPoP ${token}`, dpop }
  expect((await app.inject({ url: '/notes', headers })).statusCode).toBe(200)
  for (const url of ['/notes', '/%6eotes', '/n%6Ftes?again=1', '/%6E%6F%74%65%73']) {
    expect((await app.inject({ url, headers })).statusCode, url).toBe(401)
  }
})
