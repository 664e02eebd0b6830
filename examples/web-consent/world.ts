import { fork, type ChildProcess } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { join } from 'node:path'
import { freePort } from '../free-port.js'
import { notesServer } from '../notes/server.js'
import { authorizationServer, type AuthorizationServer } from './authorization-server.js'
import { temporaryRedis } from '../temporary-redis.js'

export interface World {
  /** The web app. */
  readonly origin: string
  readonly authorization: AuthorizationServer
  /** Kills the process of the web app and starts another. */
  restart(): Promise<void>
  close(): Promise<void>
}

/** The MCP server, its authorization server, Redis, and the web app as a process of its own. */
export async function startWorld(port?: number): Promise<World> {
  const origin = `http://127.0.0.1:${port ?? (await freePort())}`
  const issuer = `http://127.0.0.1:${await freePort()}`
  const notesPort = await freePort()
  const resource = `http://127.0.0.1:${notesPort}/mcp`
  const redirectUri = `${origin}/callback`
  const scopes = ['notes:read', 'notes:write']
  const redis = await temporaryRedis()
  const authorization = await authorizationServer({ issuer, resource, scopes, redirectUri })
  const notes = await notesServer({ resource, issuer })
  await notes.listen({ port: notesPort, host: '127.0.0.1' })
  const { clientId, clientSecret } = authorization.client
  const env = {
    ...process.env,
    ORIGIN: origin,
    RESOURCE: resource,
    ISSUER: issuer,
    CLIENT_ID: clientId,
    CLIENT_SECRET: clientSecret,
    REDIS_URL: redis.url,
    SEALING_KEY_ID: 'demo-1',
    SEALING_KEY: randomBytes(32).toString('base64url'),
  }
  let app = await startApp(env)
  return {
    origin,
    authorization,
    async restart() {
      await kill(app)
      app = await startApp(env)
    },
    async close() {
      await kill(app)
      await notes.close()
      await authorization.close()
      await redis.close()
    },
  }
}

async function startApp(env: NodeJS.ProcessEnv): Promise<ChildProcess> {
  const execArgv = ['--import', 'tsx', '--conditions=castellan:source']
  const app = fork(join(import.meta.dirname, 'serve.ts'), { env, execArgv })
  const first = await Promise.race([once(app, 'message'), once(app, 'exit')])
  if (first[0] !== 'ready') throw new Error('The web app did not start')
  return app
}

async function kill(app: ChildProcess): Promise<void> {
  if (app.exitCode !== null || app.signalCode !== null) return
  const ended = once(app, 'exit')
  app.kill('SIGKILL')
  await ended
}
