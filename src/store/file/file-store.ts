import { join, resolve } from 'node:path'
import { DefinitionError } from '../../errors.js'
import type { AuthorizationStore } from '../authorization-store.js'
import { leasedStore } from '../leased-store.js'
import { recordCipher, type SealingKey } from '../record-cipher.js'
import { waitingLine, type WaitingLine } from '../waiting-line.js'
import { directoryLock } from './directory-lock.js'
import { deleteFile, readText, replaceFile } from './durable-file.js'

export interface FileAuthorizationStoreOptions {
  /** A directory of its own for one user, made with mode 0700 when it is missing. Others must have no access to it. */
  readonly directory: string
  /** What records are sealed with, from the key chain of the system for example, or from `sealingKeyFile`. */
  readonly keys: readonly SealingKey[]
}

/** Callers of this process wait in the line of their directory, whatever store they came through. */
const lines = new Map<string, WaitingLine>()

/**
 * Keeps the grants of one user in sealed files, for command-line and desktop programs. One process at a time: a second one gets
 * `ERR_STORE_UNAVAILABLE` until the first has ended.
 *
 * Throws `DefinitionError` (`ERR_OPTION`).
 */
export function fileAuthorizationStore({
  directory,
  keys,
}: FileAuthorizationStoreOptions): AuthorizationStore {
  if (typeof directory !== 'string' || directory === '') {
    throw new DefinitionError('`directory` must be the path of a directory', 'ERR_OPTION')
  }
  const line = lines.get(resolve(directory)) ?? waitingLine()
  lines.set(resolve(directory), line)
  const fileOf = (name: string) => join(directory, `${name}.sealed`)
  return leasedStore({
    namespace: 'file',
    cipher: recordCipher(keys),
    storage: {
      get: (name) => readText(fileOf(name)),
      set: (name, text) => replaceFile(fileOf(name), text),
      delete: (name) => deleteFile(fileOf(name)),
    },
    terms: { line, lock: directoryLock(directory), leaseMilliseconds: 60_000 },
  })
}
