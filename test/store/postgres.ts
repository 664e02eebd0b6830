import { execFile } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { chown, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { freePort } from './free-port.js'
import { installed } from './installed.js'

const run = promisify(execFile)
/** Debian keeps the programs of each version apart; the newest is used. */
const versions = '/usr/lib/postgresql'
export const postgresIsInstalled = installed('PostgreSQL', existsSync(versions))

export interface PostgresServer extends AsyncDisposable {
  readonly url: string
  readonly port: number
  /** Ends the server and every connection to it; what it holds is kept for `start`. */
  stop(): Promise<void>
  start(): Promise<void>
  restart(): Promise<void>
  /** Ends the server and removes its directory. */
  close(): Promise<void>
}

/** A PostgreSQL of its own on a free port. It refuses to run as root, so root runs it as `postgres`. */
export async function startPostgres(): Promise<PostgresServer> {
  const binaries = newestBinaries()
  const asRoot = process.getuid?.() === 0
  const directory = await mkdtemp(join(tmpdir(), 'castellan-postgres-'))
  if (asRoot) {
    const [uid, gid] = await Promise.all(
      ['-u', '-g'].map(async (flag) => (await run('id', [flag, 'postgres'])).stdout),
    )
    await chown(directory, Number(uid), Number(gid))
  }
  const port = await freePort()
  const data = join(directory, 'data')
  const command = (name: string, words: readonly string[]) => {
    const program = join(binaries, name)
    return asRoot
      ? run('setpriv', ['--reuid=postgres', '--regid=postgres', '--clear-groups', program, ...words], {
          cwd: directory,
        })
      : run(program, [...words], { cwd: directory })
  }

  const settings = `-F -h 127.0.0.1 -p ${String(port)} -k ${directory}`
  const control = (words: readonly string[]) => command('pg_ctl', ['-D', data, '-w', '-s', ...words])
  const start = async () => {
    await control(['-l', join(directory, 'log'), '-o', settings, 'start'])
  }
  const stop = async () => {
    await control(['-m', 'fast', 'stop']).catch(() => undefined)
  }
  const close = async () => {
    await stop()
    await rm(directory, { recursive: true, force: true })
  }

  await command('initdb', ['-D', data, '-U', 'castellan', '-A', 'trust', '-E', 'UTF8', '--no-sync'])
  await start()
  return {
    url: `postgresql://castellan@127.0.0.1:${String(port)}/postgres`,
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

function newestBinaries(): string {
  const [newest] = readdirSync(versions)
    .map(Number)
    .sort((a, b) => b - a)
  return join(versions, String(newest), 'bin')
}
