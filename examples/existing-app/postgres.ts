import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import pg from 'pg'

const run = promisify(execFile)

export interface Database {
  readonly pool: pg.Pool
  close(): Promise<void>
}

/** A PostgreSQL of our own in a temporary directory, reached by a socket in it; it leaves nothing behind. */
export async function temporaryPostgres(): Promise<Database> {
  const bin = binaries()
  const directory = mkdtempSync(join(tmpdir(), 'existing-app-'))
  const data = join(directory, 'data')
  const user = await unprivileged()
  if (user !== undefined) chownSync(directory, user.uid, user.gid)
  const remove = () => rmSync(directory, { recursive: true, force: true })
  try {
    const options = ['-D', data, '-U', 'app', '-A', 'trust', '--no-sync']
    await run(join(bin, 'initdb'), options, { ...user, cwd: directory })
  } catch (error) {
    remove()
    throw error
  }
  const server = spawn(
    join(bin, 'postgres'),
    ['-D', data, '-k', directory, '-c', 'listen_addresses=', '-F'],
    {
      ...user,
      cwd: directory,
      stdio: ['ignore', 'ignore', 'pipe'],
    },
  )
  const ended = once(server, 'exit')
  const pool = new pg.Pool({ host: directory, user: 'app', database: 'postgres' })
  const close = async () => {
    await pool.end()
    server.kill('SIGQUIT')
    await ended
    remove()
  }
  try {
    await Promise.race([
      accepts(server.stderr),
      ended.then(() => Promise.reject(new Error('PostgreSQL ended'))),
    ])
  } catch (error) {
    await close()
    throw error
  }
  return { pool, close }
}

/** Where Debian puts the programs of the newest version. */
function binaries(): string {
  const root = '/usr/lib/postgresql'
  const versions = existsSync(root) ? readdirSync(root).sort((a, b) => Number(b) - Number(a)) : []
  const found = versions
    .map((version) => join(root, version, 'bin'))
    .find((bin) => existsSync(join(bin, 'initdb')))
  if (found !== undefined) return found
  throw new Error(`There is no PostgreSQL in ${root}: install the Debian package "postgresql"`)
}

/** PostgreSQL refuses to run as root, which then becomes the user of the package. */
async function unprivileged(): Promise<{ uid: number; gid: number } | undefined> {
  if (process.getuid?.() !== 0) return undefined
  const id = async (kind: string) => Number((await run('id', [kind, 'postgres'])).stdout)
  return { uid: await id('-u'), gid: await id('-g') }
}

async function accepts(log: NodeJS.ReadableStream): Promise<void> {
  let text = ''
  for await (const chunk of log) {
    text += String(chunk)
    if (text.includes('database system is ready to accept connections')) break
  }
}
