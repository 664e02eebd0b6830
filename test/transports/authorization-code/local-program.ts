import { createClient, httpCaller } from 'castellan/client'
import { memoryAuthorizationStore } from 'castellan/store'
import {
  authorizationCodeTransport,
  publicClient,
  type LocalConsentOptions,
  type LocalTransport,
} from 'castellan/transports'
import type { ConsentAnswer, TestAuthorizationServerOptions } from 'castellan/testing'
import { expect } from 'vitest'
import { whoami, writing } from '../../fastify/guarded.js'
import { protectedServer, type ProtectedServer } from '../protected-server.js'

const local = {
  clientId: 'cli',
  redirectUris: ['http://127.0.0.1/callback', 'http://localhost/cb', 'http://[::1]/callback'],
}

export interface LocalProgram {
  readonly server: ProtectedServer
  /** Every URL the program wanted opened. */
  readonly opened: URL[]
  /** A browser whose user answers at once. */
  browse(answer?: ConsentAnswer): (url: URL) => Promise<void>
  /** Any number over one store. */
  transport(options?: Partial<LocalConsentOptions>): LocalTransport
  stop(): Promise<void>
}

/** A protected server, and a program on the machine of its user. */
export async function localProgram(options: TestAuthorizationServerOptions = {}): Promise<LocalProgram> {
  const server = await protectedServer({ ofUsers: true, server: { clients: [local], ...options } })
  const opened: URL[] = []
  const open: LocalTransport[] = []
  const store = memoryAuthorizationStore()
  const browse = (answer?: ConsentAnswer) => async (url: URL) => {
    opened.push(url)
    const page = await fetch(await server.as.consent(url, answer))
    expect(page.status).toBe(200)
  }
  return {
    server,
    opened,
    browse,
    transport(changes = {}) {
      const made = authorizationCodeTransport.forLocal({
        endpoint: server.endpoint,
        registration: publicClient({ issuer: server.as.issuer, clientId: 'cli', allowLoopbackHttp: true }),
        store,
        openBrowser: browse(),
        allowLoopbackHttp: true,
        ...changes,
      })
      open.push(made)
      return made
    },
    async stop() {
      await Promise.all(open.map((transport) => transport.close()))
      await server.stop()
    },
  }
}

const over = (made: LocalTransport) =>
  createClient(httpCaller({ clientInfo: { name: 'cli', version: '1.0.0' }, transport: made }))
/** Who the server says is calling. */
export const ask = (made: LocalTransport, signal?: AbortSignal) =>
  over(made).call(whoami.definition, {}, signal && { signal })
/** Needs `notes:read` and `notes:write`. */
export const write = (made: LocalTransport) => over(made).call(writing.definition, {})
