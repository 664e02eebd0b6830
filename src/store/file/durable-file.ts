import { randomBytes } from 'node:crypto'
import { link, open, readFile, rename, unlink } from 'node:fs/promises'
import { dirname } from 'node:path'

const ownerOnly = 0o600

/** The text of a file; undefined when there is none. */
export async function readText(path: string): Promise<string | undefined> {
  return unlessMissing(readFile(path, 'utf8'))
}

/** Puts a text in the place of the file, whole or not at all. Only one writer at a time may do so. */
export async function replaceFile(path: string, text: string): Promise<void> {
  const draft = `${path}.draft`
  await writeDurably(draft, text, 'w')
  await rename(draft, path)
  await syncDirectory(path)
}

/** Makes a file with this text, whole or not at all; false when there is one already. */
export async function createFile(path: string, text: string): Promise<boolean> {
  const draft = `${path}.${randomBytes(8).toString('hex')}`
  await writeDurably(draft, text, 'wx')
  try {
    await link(draft, path)
    return true
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false
    throw error
  } finally {
    await unlink(draft)
  }
}

export async function deleteFile(path: string): Promise<void> {
  await unlessMissing(unlink(path))
  await syncDirectory(path)
}

export function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code
}

async function unlessMissing<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined
    throw error
  }
}

async function writeDurably(path: string, text: string, flag: 'w' | 'wx'): Promise<void> {
  await using file = await open(path, flag, ownerOnly)
  await file.writeFile(text)
  await file.sync()
}

/** A renamed file is durable when its directory is; Windows has no such call and needs none. */
async function syncDirectory(path: string): Promise<void> {
  if (process.platform === 'win32') return
  await using directory = await open(dirname(path), 'r')
  await directory.sync()
}
