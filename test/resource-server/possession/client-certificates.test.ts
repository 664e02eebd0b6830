import { X509Certificate } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { createServer, request } from 'node:https'
import type { AddressInfo } from 'node:net'
import { TLSSocket } from 'node:tls'
import { describe, expect, it, onTestFinished } from 'vitest'
import {
  createGuard,
  isRejection,
  withClientCertificates,
  withDpop,
} from '../../../src/resource-server/index.js'
import type { CertificateSource } from '../../../src/resource-server/possession/possession.js'
import { dpopKey } from '../../../src/testing/index.js'
import { resource, resourceServerAt, setClock, startAuthorizationServer } from '../fixture.js'
import { selfSigned, type TestCertificate } from './certificate.js'
import { bearerChallenge, dpopChallenge, told } from './fixture.js'

const unproven = [401, 'proof', bearerChallenge('invalid_token')]
const ofSocket: CertificateSource = ({ socket }) =>
  socket instanceof TLSSocket ? socket.getPeerX509Certificate() : undefined

async function world(certificate: CertificateSource) {
  const as = await startAuthorizationServer()
  const plain = resourceServerAt(setClock(), { issuer: as.issuer })
  const resourceServer = withClientCertificates(plain, { certificate })
  const mint = (cnf?: object) => as.mint({ resource, claims: { cnf } })
  const guard = createGuard({ resourceServer, basicScopes: ['mcp'] })
  const present = async (token: string, message?: IncomingMessage) =>
    guard.authenticate({
      authorization: [`Bearer ${token}`],
      proofs: [],
      method: 'POST',
      target: resource,
      url: '/mcp',
      ...(message !== undefined && { message }),
    })
  return { mint, present, guard, plain, resourceServer }
}

describe('A61 tokens bound to a client certificate, on a TLS socket', () => {
  const server = selfSigned('server')
  const mine = selfSigned('client')

  async function start() {
    const { mint, present } = await world(ofSocket)
    const https = createServer(
      { key: server.key, cert: server.cert, requestCert: true, rejectUnauthorized: false },
      (message, response) => {
        const token = (message.headers.authorization ?? '').slice('Bearer '.length)
        void present(token, message).then((decision) => {
          if (isRejection(decision)) response.writeHead(decision.status, decision.headers).end()
          else response.end(decision.subject)
        })
      },
    )
    await new Promise<void>((resolve) => https.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void https.close())
    const { port } = https.address() as AddressInfo
    const send = (token: string, shown?: TestCertificate) =>
      new Promise<[number | undefined, string]>((resolve, reject) => {
        const options = { port, host: '127.0.0.1', ca: server.cert, key: shown?.key, cert: shown?.cert }
        const headers = { authorization: `Bearer ${token}` }
        request({ ...options, headers, agent: false }, (answer) => {
          let text = answer.headers['www-authenticate'] ?? ''
          answer.on('data', (chunk) => (text += String(chunk)))
          answer.on('end', () => resolve([answer.statusCode, text]))
        })
          .on('error', reject)
          .end()
      })
    return { mint, send }
  }

  it('are taken from the client that shows it, and from nobody else', async () => {
    const { mint, send } = await start()
    const bound = await mint({ 'x5t#S256': mine.thumbprint })
    expect(await send(bound, mine)).toEqual([200, 'alice'])
    expect(await send(bound, mine)).toEqual([200, 'alice'])
    expect(await send(bound, selfSigned('client'))).toEqual([401, bearerChallenge('invalid_token')])
    expect(await send(bound)).toEqual([401, bearerChallenge('invalid_token')])
    expect(await send(bound, server)).toEqual([401, bearerChallenge('invalid_token')])
  })

  it('tokens bound to nothing are taken with any certificate and without', async () => {
    const { mint, send } = await start()
    const token = await mint()
    expect(await send(token, mine)).toEqual([200, 'alice'])
    expect(await send(token)).toEqual([200, 'alice'])
  })
})

describe('A61 a certificate from elsewhere', () => {
  const { cert, thumbprint } = selfSigned('client')
  const message = (header?: string) =>
    ({ headers: { 'x-client-certificate': header } }) as unknown as IncomingMessage
  const ofHeader: CertificateSource = ({ headers }) => {
    const text = headers['x-client-certificate']
    return typeof text === 'string' ? new X509Certificate(decodeURIComponent(text)) : undefined
  }

  it('a proxy may tell it in a header that the host reads', async () => {
    const { mint, present } = await world(ofHeader)
    const bound = await mint({ 'x5t#S256': thumbprint })
    expect(told(await present(bound, message(encodeURIComponent(cert))))).toBe('alice')
    expect(told(await present(bound, message()))).toEqual(unproven)
    expect(told(await present(bound))).toEqual(unproven)
  })

  it('DER bytes will do, and a token seen before is still answered at once', async () => {
    const { mint, guard } = await world(() => new X509Certificate(cert).raw)
    const authorization = [`Bearer ${await mint({ 'x5t#S256': thumbprint })}`]
    const asked = {
      authorization,
      proofs: [],
      method: 'POST',
      target: resource,
      url: '/',
      message: message(),
    }
    expect(told(await guard.authenticate(asked))).toBe('alice')
    expect(guard.authenticate(asked)).toMatchObject({ subject: 'alice' })
  })

  it('A18 a source that throws is 503 without a challenge', async () => {
    const { mint, present } = await world(ofHeader)
    const bound = await mint({ 'x5t#S256': thumbprint })
    for (const seen of ['first', 'again']) {
      expect(await present(bound, message('%')), seen).toEqual({
        status: 503,
        reason: 'undecided',
        detail: 'the resource server failed',
        headers: { 'cache-control': 'no-store' },
      })
    }
  })

  it('a certificate does not stand in for a DPoP key, nor without a source', async () => {
    const { mint, present, plain } = await world(ofHeader)
    const { jkt } = await dpopKey()
    const shown = message(encodeURIComponent(cert))
    expect(told(await present(await mint({ jkt }), shown))).toEqual(unproven)
    expect(told(await present(await mint({ jkt, 'x5t#S256': thumbprint }), shown))).toEqual(unproven)
    const authorization = [`Bearer ${await mint({ 'x5t#S256': thumbprint })}`]
    const asked = { authorization, proofs: [], method: 'POST', target: resource, url: '/', message: shown }
    const guard = createGuard({ resourceServer: plain, basicScopes: ['mcp'] })
    expect(told(await guard.authenticate(asked))).toEqual(unproven)
  })

  it('a token bound to both needs both, and one bound to the certificate is no DPoP token', async () => {
    const { mint, resourceServer } = await world(ofHeader)
    const key = await dpopKey()
    const guard = createGuard({ resourceServer: withDpop(resourceServer), basicScopes: ['mcp'] })
    const both = await mint({ jkt: key.jkt, 'x5t#S256': thumbprint })
    const shown = message(encodeURIComponent(cert))
    const send = async (token: string, sent: IncomingMessage) =>
      told(
        await guard.authenticate({
          authorization: [`DPoP ${token}`],
          proofs: [await key.proof({ method: 'POST', url: resource, token })],
          method: 'POST',
          target: resource,
          url: '/mcp',
          message: sent,
        }),
      )
    const refused = [401, 'proof', dpopChallenge('invalid_token')]
    expect(await send(both, shown)).toBe('alice')
    expect(await send(both, message())).toEqual(refused)
    expect(await send(await mint({ 'x5t#S256': thumbprint }), shown)).toEqual(refused)
  })
})
