import { DiscoveryError } from '../errors.js'

/** Reads members of a metadata document by their type. */
export interface MetadataFields {
  text(name: string): string | undefined
  texts(name: string): readonly string[] | undefined
  flag(name: string): boolean | undefined
}

/**
 * Reads members of a document, which must be of the right type where they are there; `null` is no type.
 *
 * Throws `DiscoveryError`, which names the member and not its value. RFC 8414 §2, RFC 9728 §2.
 */
export function metadataFields(where: string, document: Readonly<Record<string, unknown>>): MetadataFields {
  function read<T>(name: string, isRight: (value: unknown) => value is T): T | undefined {
    if (!Object.hasOwn(document, name)) return undefined
    const value = document[name]
    if (isRight(value)) return value
    throw new DiscoveryError(`${where} has a \`${name}\` of the wrong type`)
  }
  return {
    text: (name) => read(name, isText),
    texts: (name) => read(name, isTexts),
    flag: (name) => read(name, (value) => typeof value === 'boolean'),
  }
}

function isText(value: unknown): value is string {
  return typeof value === 'string'
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every(isText)
}
