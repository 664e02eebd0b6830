import { once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { ClientTransport } from 'castellan/transports'
import { decodeJwt } from 'jose'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { boundJob } from './bound-job.js'

const json = { 'content-type': 'application/json' }
const challenge = { 'www-authenticate': 'DPoP error="use_dpop_nonce"', 'dpop-nonce': 'again' }

let host: Server
let origin: string
let made: ClientTransport
let tokenAnswers: readonly [number, object][]
let proofs: Record<'/token' | '/mcp', string[]>

/** One host that is both servers: it gives the answers to come, and asks for nonces at the resource for ever. */
const answer: RequestListener = ({ url, headers: { dpop, authorization } }, response) => {
  const text = (status: number, body: object, more = {}) =>
    response.writeHead(status, { ...json, ...more }).end(JSON.stringify(body))
  if (url === '/.well-known/oauth-protected-resource/mcp')
    return void text(200, { resource: `${origin}/mcp`, authorization_servers: [origin] })
  if (url === '/.well-known/oauth-authorization-server')
    return void text(200, {
      issuer: origin,
      token_endpoint: `${origin}/token`,
      grant_types_supported: ['client_credentials'],
      response_types_supported: ['code'],
      dpop_signing_alg_values_supported: ['ES256'],
    })
  if (url === '/token') {
    const [status, body] = tokenAnswers[Math.min(proofs['/token'].length, tokenAnswers.length - 1)]!
    proofs['/token'].push(String(dpop))
    return void text(status, body, { 'dpop-nonce': 'again' })
  }
  if (authorization === undefined) return void text(401, {}, { 'www-authenticate': 'DPoP' })
  proofs['/mcp'].push(String(dpop))
  return void text(401, {}, challenge)
}

beforeEach(async () => {
  proofs = { '/token': [], '/mcp': [] }
  host = createServer(answer)
  await once(host.listen(0, '127.0.0.1'), 'listening')
  origin = `http://127.0.0.1:${(host.address() as AddressInfo).port}`
  made = boundJob(origin)
})
afterEach(async () => {
  await made.close()
  host.closeAllConnections()
  host.close()
})

const send = () => made.fetch(`${origin}/mcp`, { method: 'POST', headers: json, body: '{}' })
const token = (type: string) => ({ access_token: 'token', token_type: type, expires_in: 300 })

test('A61 RFC 9449 §5 a Bearer answer to a request with a proof is refused, and nothing is sent', async () => {
  tokenAnswers = [[200, token('Bearer')]]
  await expect(send()).rejects.toThrow()
  expect(proofs['/token']).toHaveLength(1)
  expect(proofs['/mcp']).toEqual([])
})

test('A61 RFC 9449 §8 a token endpoint that asks for nonces for ever is asked twice', async () => {
  tokenAnswers = [[400, { error: 'use_dpop_nonce' }]]
  await expect(send()).rejects.toThrow()
  expect(proofs['/token'].map((proof) => decodeJwt(proof)['nonce'])).toEqual([undefined, 'again'])
  expect(proofs['/mcp']).toEqual([])
})

test('A61 RFC 9449 §9 a resource that asks for nonces for ever is asked twice, with a fresh proof each', async () => {
  tokenAnswers = [[200, token('DPoP')]]
  expect((await send()).status).toBe(401)
  const claims = proofs['/mcp'].map((proof) => decodeJwt(proof))
  expect(claims.map(({ nonce }) => nonce)).toEqual([undefined, 'again'])
  expect(new Set(claims.map(({ jti }) => jti)).size).toBe(2)
  expect(claims).toMatchObject([{ htu: `${origin}/mcp`, htm: 'POST' }, { htm: 'POST' }])
})
