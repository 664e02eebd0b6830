import { randomBytes } from 'node:crypto'
import { readFileSync, unlinkSync } from 'node:fs'
import { link, mkdir, realpath, rename, stat, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import type { DistributedLock } from '../distributed-lock.js'
import { StoreError } from '../store-error.js'
import { createFile, hasCode, readText } from './durable-file.js'

/** Lock files of this process and what it wrote into them. */
const claims = new Map<string, string>()
/** Claims that are being made, so that a process never takes its own for a dead one's. */
const claiming = new Map<string, Promise<void>>()

/**
 * Claims a directory for this process until it ends; a second process is told so at once. What a killed process has left is
 * recognised by its process id and taken over.
 */
export function directoryLock(directory: string): DistributedLock {
  return {
    async acquire() {
      const path = await lockFileOf(directory)
      const isHeld = async () => claims.has(path) && (await readText(path)) === claims.get(path)
      if (!(await isHeld())) await claimOnce(path)
      return { isHeld, renew: isHeld, release: () => Promise.resolve() }
    },
  }
}

async function lockFileOf(directory: string): Promise<string> {
  await mkdir(directory, { recursive: true, mode: 0o700 })
  const { mode } = await stat(directory)
  if (process.platform !== 'win32' && (mode & 0o077) !== 0) {
    throw new StoreError('ERR_STORE_UNAVAILABLE', 'Others may enter the directory; its mode must be 0700')
  }
  return join(await realpath(directory), 'lock')
}

function claimOnce(path: string): Promise<void> {
  const begun = claiming.get(path) ?? claim(path).finally(() => claiming.delete(path))
  claiming.set(path, begun)
  return begun
}

async function claim(path: string): Promise<void> {
  const mine = `${process.pid} ${randomBytes(16).toString('hex')}`
  if (!(await createFile(path, mine))) {
    const found = await readText(path)
    if (found !== undefined) await putAside(path, found)
    if (!(await createFile(path, mine))) throw inUse(path)
  }
  if (claims.size === 0) process.once('exit', giveBack)
  claims.set(path, mine)
}

/** Renames a lock file that a dead process has left. Two may do so at once, so what was renamed is looked at again. */
async function putAside(path: string, found: string): Promise<void> {
  const holder = Number.parseInt(found, 10)
  if (holder !== process.pid && isAlive(holder)) throw inUse(path)
  const aside = `${path}.${randomBytes(8).toString('hex')}`
  try {
    await rename(path, aside)
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return
    throw error
  }
  if ((await readText(aside)) !== found) await link(aside, path).catch(() => undefined)
  await unlink(aside)
}

function isAlive(holder: number): boolean {
  try {
    process.kill(holder, 0)
    return true
  } catch (error) {
    return !hasCode(error, 'ESRCH')
  }
}

function inUse(path: string): StoreError {
  return new StoreError('ERR_STORE_UNAVAILABLE', `Another process uses this directory; its lock is ${path}`)
}

function giveBack(): void {
  for (const [path, mine] of claims) {
    try {
      if (readFileSync(path, 'utf8') === mine) unlinkSync(path)
    } catch {
      continue
    }
  }
}
