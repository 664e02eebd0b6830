import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { freePort } from './free-port.js'
import { installed } from './installed.js'

export const redisIsInstalled = installed('Redis', spawnSync('redis-server', ['--version']).status === 0)

export interface RedisServer extends AsyncDisposable {
  readonly url: string
  readonly port: number
  /** Ends the server; what it holds is kept for `start`. */
  stop(): Promise<void>
  start(): Promise<void>
  restart(): Promise<void>
  /** Ends the server and removes its directory. */
  close(): Promise<void>
}

/** A Redis of its own on a free port, which forgets nothing when it is restarted. */
export async function startRedis(): Promise<RedisServer> {
  const directory = await mkdtemp(join(tmpdir(), 'castellan-redis-'))
  const port = await freePort()
  let server: ChildProcess | undefined

  async function start(): Promise<void> {
    const words = ['--port', String(port), '--bind', '127.0.0.1', '--dir', directory, '--save', '']
    const child = spawn('redis-server', [...words, '--appendonly', 'yes', '--appendfsync', 'always'], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    server = child
    const lines = createInterface({ input: child.stdout })
    for await (const line of lines) {
      if (line.includes('Ready to accept connections')) break
    }
    child.stdout.resume()
    if (child.exitCode !== null) throw new Error('redis-server did not start')
  }

  async function stop(): Promise<void> {
    if (server === undefined || server.exitCode !== null || server.signalCode !== null) return
    const ended = once(server, 'exit')
    server.kill('SIGTERM')
    await ended
  }

  async function close(): Promise<void> {
    await stop()
    await rm(directory, { recursive: true, force: true })
  }

  await start()
  return {
    url: `redis://127.0.0.1:${String(port)}`,
    port,
    start,
    stop,
    async restart() {
      await stop()
      await start()
    },
    close,
    [Symbol.asyncDispose]: close,
  }
}
