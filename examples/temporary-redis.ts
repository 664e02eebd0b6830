import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { freePort } from './free-port.js'

export interface Redis {
  readonly url: string
  close(): Promise<void>
}

/** A Redis of our own on a free port, from the Debian package "redis-server"; it leaves nothing behind. */
export async function temporaryRedis(): Promise<Redis> {
  const directory = await mkdtemp(join(tmpdir(), 'castellan-redis-'))
  const port = await freePort()
  const words = ['--port', String(port), '--bind', '127.0.0.1', '--dir', directory, '--save', '']
  const server = spawn('redis-server', words, { stdio: ['ignore', 'pipe', 'inherit'] })
  const ended = once(server, 'exit')
  for await (const line of createInterface({ input: server.stdout })) {
    if (line.includes('Ready to accept connections')) break
  }
  server.stdout.resume()
  return {
    url: `redis://127.0.0.1:${port}`,
    async close() {
      server.kill('SIGTERM')
      await ended
      await rm(directory, { recursive: true, force: true })
    },
  }
}
