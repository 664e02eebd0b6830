import { createHash, randomBytes } from 'node:crypto'
import { mkdir, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { DefinitionError } from '../../errors.js'
import type { SealingKey } from '../record-cipher.js'
import { createFile, readText } from './durable-file.js'

/**
 * The key kept in a file, for programs that have no key chain; the file is made with mode 0600 when it is missing. Keep it
 * apart from what it seals: who has both can read the grants.
 *
 * Throws `DefinitionError` (`ERR_OPTION`) when others may read the file or it holds something else.
 */
export async function sealingKeyFile(path: string): Promise<SealingKey> {
  if ((await readText(path)) === undefined) {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 })
    await createFile(path, randomBytes(32).toString('base64url'))
  }
  const { mode } = await stat(path)
  if (process.platform !== 'win32' && (mode & 0o077) !== 0) {
    throw new DefinitionError('Others may read the key file; its mode must be 0600', 'ERR_OPTION')
  }
  const key = Buffer.from((await readText(path)) ?? '', 'base64url')
  if (key.length !== 32) throw new DefinitionError('The key file holds no key of 32 bytes', 'ERR_OPTION')
  return { id: createHash('sha256').update(key).digest('hex').slice(0, 16), key }
}
