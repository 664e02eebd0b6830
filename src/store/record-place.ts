import { createHash } from 'node:crypto'
import { DefinitionError } from '../errors.js'

/** Which record a value belongs to. A value sealed for one place opens in no other. */
export interface RecordPlace {
  /** What the backend and the lock know the record by: 64 hexadecimal digits that tell nothing. */
  readonly name: string
  /** What its seal is bound to: format, namespace, kind, key and version of the schema, each with its length before it. */
  readonly binding: Uint8Array
}

const format = 'castellan/1'
const schemaVersion = '1'

export function recordPlace(
  namespace: string,
  kind: 'credential' | 'transactions',
  key: string,
): RecordPlace {
  const binding = lengthPrefixed([format, namespace, kind, key, schemaVersion])
  return { name: createHash('sha256').update(binding).digest('hex'), binding }
}

/** Keys in byte order, each once. Throws `DefinitionError` (`ERR_OPTION`) when one is not 64 lower-case hexadecimal digits. */
export function sortedKeys(keys: readonly string[]): readonly string[] {
  keys.forEach(checkedHash)
  return [...new Set(keys)].sort()
}

export function checkedHash(hash: string): void {
  if (typeof hash !== 'string' || !/^[0-9a-f]{64}$/.test(hash)) {
    throw new DefinitionError('A key must be 64 lower-case hexadecimal digits', 'ERR_OPTION')
  }
}

/** Throws `DefinitionError` (`ERR_OPTION`) for a namespace that is empty or that UTF-8 cannot tell from another. */
export function checkedNamespace(namespace: string): string {
  if (typeof namespace !== 'string' || namespace === '' || Buffer.from(namespace).toString() !== namespace) {
    throw new DefinitionError('`namespace` must be a text that is not empty', 'ERR_OPTION')
  }
  return namespace
}

function lengthPrefixed(parts: readonly string[]): Uint8Array {
  return Buffer.concat(
    parts.flatMap((part) => {
      const bytes = Buffer.from(part)
      const length = Buffer.alloc(4)
      length.writeUInt32BE(bytes.length)
      return [length, bytes]
    }),
  )
}
