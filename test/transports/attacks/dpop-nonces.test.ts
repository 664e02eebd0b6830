import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { ClientTransport } from 'castellan/transports'
import { decodeJwt } from 'jose'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { boundJob } from '../dpop/bound-job.js'

const json = { 'content-type': 'application/json' }

type NonceHeader = string | readonly string[] | undefined

let host: Server
let origin: string
let made: ClientTransport
/** What the resource gives as its nonce with its first refusal. */
let nonce: NonceHeader
let refusesOnce: Readonly<Record<string, string>>
let proofs: Record<string, string[]>

beforeEach(async () => {
  proofs = {}
  refusesOnce = { 'www-authenticate': 'DPoP error="use_dpop_nonce"' }
  host = createServer(({ url = '', headers: { dpop, authorization } }, response) => {
    const text = (status: number, body: object, more: object = {}) =>
      response.writeHead(status, { ...json, ...more }).end(JSON.stringify(body))
    if (url === '/.well-known/oauth-protected-resource/mcp')
      return void text(200, { resource: `${origin}/mcp`, authorization_servers: [origin] })
    if (url === '/.well-known/oauth-authorization-server')
      return void text(200, {
        issuer: origin,
        token_endpoint: `${origin}/token`,
        grant_types_supported: ['client_credentials'],
        dpop_signing_alg_values_supported: ['ES256'],
      })
    if (url === '/mcp' && authorization === undefined)
      return void text(401, {}, { 'www-authenticate': 'DPoP', 'dpop-nonce': 'of-the-probe' })
    const shown = (proofs[url] ??= [])
    shown.push(String(dpop))
    if (url === '/token') {
      const token = { access_token: 'token', token_type: 'DPoP', expires_in: 300 }
      return void text(200, token, { 'dpop-nonce': 'of-the-token-endpoint' })
    }
    if (shown.length > 1) return void text(200, {})
    return void text(401, {}, { ...refusesOnce, ...(nonce !== undefined && { 'dpop-nonce': nonce }) })
  })
  await once(host.listen(0, '127.0.0.1'), 'listening')
  origin = `http://127.0.0.1:${(host.address() as AddressInfo).port}`
  made = boundJob(origin)
})
afterEach(async () => {
  await made.close()
  host.closeAllConnections()
  host.close()
})

const send = (body: RequestInit['body'] = '{}') =>
  made.fetch(`${origin}/mcp`, { method: 'POST', headers: json, body, duplex: 'half' })
const noncesShown = () => (proofs['/mcp'] ?? []).map((proof) => decodeJwt(proof)['nonce'])

const noNonces: readonly (readonly [string, NonceHeader])[] = [
  ['missing', undefined],
  ['empty', ''],
  ['of two headers', ['one', 'two']],
  ['with a space', 'one two'],
  ['with a quote', 'one"two'],
  ['outside ASCII', 'n\u00e9'],
  ['of ten thousand characters', 'x'.repeat(10_000)],
]

test.each(noNonces)('A61 RFC 9449 §8.1 §9 a nonce that is %s brings no other proof', async (_name, given) => {
  nonce = given
  expect((await send()).status).toBe(401)
  expect(noncesShown()).toEqual([undefined])
})

test('A61 RFC 9449 §9 a nonce of a thousand characters is taken, and those of the token endpoint and the probe are not for it', async () => {
  nonce = 'x'.repeat(1000)
  expect((await send()).status).toBe(200)
  expect(noncesShown()).toEqual([undefined, nonce])
})

test('A61 B12 RFC 9449 §9 a nonce is for the scheme that was refused: one asked for as Bearer brings no other proof', async () => {
  nonce = 'again'
  refusesOnce = { 'www-authenticate': 'Bearer error="use_dpop_nonce"' }
  expect((await send()).status).toBe(401)
  expect(noncesShown()).toEqual([undefined])
})

test('A61 B7 a body that can be read once is not sent again for a nonce', async () => {
  nonce = 'again'
  const body = new Blob(['{}']).stream()
  expect((await send(body)).status).toBe(401)
  expect(noncesShown()).toEqual([undefined])
})
