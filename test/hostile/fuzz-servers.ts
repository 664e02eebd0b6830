import { AsyncLocalStorage } from 'node:async_hooks'
import type { AddressInfo } from 'node:net'
import { Writable } from 'node:stream'
import mcp, { type McpOptions } from 'castellan/fastify'
import { jwtResourceServer } from 'castellan/resource-server'
import { testAuthorizationServer } from 'castellan/testing'
import Fastify, { type FastifyInstance } from 'fastify'
import { resource } from '../fastify/guarded.js'
import { oddOffer } from './odd-things.js'

export type ServerKind = 'open' | 'guarded' | 'undecided'

export interface FuzzServer {
  readonly kind: ServerKind
  readonly app: FastifyInstance
  readonly port: number
  /** `Authorization` lines a request may carry here. */
  readonly credentials: readonly string[]
}

export interface FuzzServers {
  readonly all: readonly FuzzServer[]
  /** Things that must never happen, as they were seen inside the servers. */
  readonly violations: readonly string[]
  close(): Promise<void>
}

interface Passage {
  dispatched: boolean
}

export const bodyLimit = 64 * 1024

/** An open server, a guarded one, and one that can verify nobody; each tells when something came after dispatch. */
export async function fuzzServers(): Promise<FuzzServers> {
  const violations: string[] = []
  const as = await testAuthorizationServer()
  const dark = await testAuthorizationServer()
  const auth = jwtResourceServer({ resource, issuer: as.issuer, allowLoopbackHttp: true })
  const undecided = jwtResourceServer({ resource, issuer: dark.issuer, allowLoopbackHttp: true })
  const good = `Authorization: Bearer ${await as.mint({ resource, scopes: ['mcp'], expiresInSeconds: 7200 })}`
  const poor = `Authorization: Bearer ${await as.mint({ resource, scopes: [], expiresInSeconds: 7200 })}`
  const unseen = `Authorization: Bearer ${await dark.mint({ resource, scopes: ['mcp'], expiresInSeconds: 7200 })}`
  dark.fault('jwks', 'outage')
  const foreign = good.replace(/\.[^.]+$/, '.AAAA')
  const all = [
    await serve('open', { auth: 'none' }, [], violations),
    await serve(
      'guarded',
      { auth, basicScopes: ['mcp'] },
      [good, good, good, good, poor, foreign],
      violations,
    ),
    await serve('undecided', { auth: undecided }, [unseen], violations),
  ]
  return {
    all,
    violations,
    async close() {
      for (const { app } of all) await app.close()
      for (const each of [auth, undecided, as, dark]) await each.close()
    },
  }
}

async function serve(
  kind: ServerKind,
  options: Pick<McpOptions, 'auth' | 'basicScopes'>,
  credentials: readonly string[],
  violations: string[],
): Promise<FuzzServer> {
  const passages = new AsyncLocalStorage<Passage>()
  const app = Fastify({ logger: { stream: watchedLog(violations) }, http: { maxHeaderSize: 64 * 1024 } })
  app.addHook('onRequest', (_request, _reply, done) => passages.run({ dispatched: false }, done))
  app.addHook('onSend', async (request, reply) => {
    if (passages.getStore()?.dispatched !== true) return
    const challenge = reply.getHeader('www-authenticate')
    if (reply.statusCode === 200 && challenge === undefined) return
    violations.push(
      `${String(request.headers['x-fuzz'])}: ${reply.statusCode} ${String(challenge)} after dispatch`,
    )
  })
  await app.register(mcp, {
    path: '/mcp',
    name: 'fuzz',
    version: '1',
    ...oddOffer,
    ...options,
    bodyLimit,
    around: [
      (_call, next) => {
        const passage = passages.getStore()
        if (passage === undefined) violations.push('A call outside its request')
        else passage.dispatched = true
        return next()
      },
    ],
  })
  await app.listen({ port: 0, host: '127.0.0.1' })
  return { kind, app, port: (app.server.address() as AddressInfo).port, credentials }
}

/** A log that is read for secrets instead of kept. */
function watchedLog(violations: string[]): Writable {
  return new Writable({
    write(chunk: Buffer, _encoding, done) {
      if (chunk.includes('eyJ')) violations.push(`B156 a token in the log: ${chunk.toString()}`)
      done()
    },
  })
}
