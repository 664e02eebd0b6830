import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { promisify } from 'node:util'

export const repository = join(import.meta.dirname, '../..')

const execute = promisify(execFile)
const notCopied = new Set(['.git', 'node_modules', 'dist', 'results', 'coverage'])

/** What `npm pack` made out of a copy of this repository. */
export interface PackedPackage {
  readonly tarball: string
  /** The copy of the repository it was made of. */
  readonly source: string
  /** Paths inside the tarball, as npm tells them. */
  readonly files: readonly string[]
  /** Bytes of the tarball and of what is in it. */
  readonly size: number
  readonly unpackedSize: number
}

/** A folder that goes away with `remove`. */
export async function emptyFolder(): Promise<{ path: string; remove: () => Promise<void> }> {
  const path = await mkdtemp(join(tmpdir(), 'castellan-'))
  return { path, remove: () => rm(path, { recursive: true, force: true }) }
}

/** Runs a program in a folder; rejects with all it printed when it fails. */
export async function run(folder: string, program: string, args: readonly string[]): Promise<string> {
  try {
    const options = { cwd: folder, env: outsideEnvironment(), maxBuffer: 2 ** 26 }
    const { stdout } = await execute(program, [...args], options)
    return stdout
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string }
    throw new Error(`${program} ${args.join(' ')}\n${stdout}\n${stderr}`, { cause: error })
  }
}

/** A shell outside of a test run: nothing tells Node or npm that they stand in this repository. */
export function outsideEnvironment(): NodeJS.ProcessEnv {
  const ours =
    /^(?:NODE_ENV|NODE_OPTIONS|INIT_CWD|VITEST.*|npm_(?:package|lifecycle|command|execpath|node).*)$/
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !ours.test(name)))
}

/**
 * Builds and packs a copy of the repository, so that nobody's `dist` is touched.
 *
 * The copy has a file of an earlier build, which must not be packed.
 */
export async function packInto(folder: string): Promise<PackedPackage> {
  const copy = join(folder, 'repository')
  const isSource = (path: string) => !notCopied.has(relative(repository, path).split('/')[0] ?? '')
  await cp(repository, copy, { recursive: true, filter: isSource })
  await symlink(join(repository, 'node_modules'), join(copy, 'node_modules'))
  await mkdir(join(copy, 'dist'))
  await writeFile(join(copy, 'dist', 'of-an-earlier-build.js'), 'throw new Error("stale")\n')
  const told = await run(copy, 'npm', ['pack', '--json', '--pack-destination', folder])
  const [packed] = JSON.parse(told.slice(told.search(/^\[/m))) as [
    { filename: string; files: { path: string }[]; size: number; unpackedSize: number },
  ]
  return {
    tarball: join(folder, packed.filename),
    source: copy,
    files: packed.files.map((file) => file.path),
    size: packed.size,
    unpackedSize: packed.unpackedSize,
  }
}

/** Installs packages the way a user does. */
export function install(folder: string, packages: readonly string[]): Promise<string> {
  return run(folder, 'npm', ['install', '--no-audit', '--no-fund', '--prefer-offline', ...packages])
}
