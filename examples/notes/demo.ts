import { createServer } from 'node:net'
import { authorizationServer, type AuthorizationServer } from './authorization-server.js'
import { notesServer } from './server.js'

export interface Demo {
  /** The protected MCP endpoint, and the resource tokens are issued for. */
  readonly url: string
  readonly authorization: AuthorizationServer
  close(): Promise<void>
}

/** Starts both servers on loopback, on the wished ports where they are free. */
export async function startDemo(wishes: {
  readonly notes: number
  readonly authorization: number
}): Promise<Demo> {
  const port = await freePort(wishes.notes)
  const url = `http://127.0.0.1:${port}/mcp`
  const authorization = await authorizationServer({
    port: await freePort(wishes.authorization),
    resource: url,
    scopes: ['notes:read', 'notes:write'],
  })
  const notes = await notesServer({ resource: url, issuer: authorization.issuer })
  await notes.listen({ port, host: '127.0.0.1' })
  return {
    url,
    authorization,
    close: async () => {
      await notes.close()
      await authorization.close()
    },
  }
}

/** The wished port if it is free, any other if not; 0 wishes for none in particular. */
async function freePort(wish: number): Promise<number> {
  const server = createServer()
  const port = await new Promise<number>((resolve, reject) => {
    server.once('error', reject)
    server.listen(wish, '127.0.0.1', () => {
      const address = server.address()
      resolve(typeof address === 'object' && address !== null ? address.port : 0)
    })
  }).catch((error: unknown) => {
    if (wish === 0) throw error
    return undefined
  })
  if (port === undefined) return freePort(0)
  await new Promise((resolve) => server.close(resolve))
  return port
}
