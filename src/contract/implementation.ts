import { DefinitionError } from '../errors.js'
import { checkPresentation, type Icon } from './presentation.js'

/** What a program calls itself; shown and logged by the other side, never proof of anything (MCP 2026-07-28, schema). */
export interface Implementation {
  readonly name: string
  readonly version: string
  readonly title?: string
  readonly description?: string
  readonly websiteUrl?: string
  readonly icons?: readonly Icon[]
}

/** Keeps the members of an identity, in this order. Throws `ERR_OPTION` without a name and a version. */
export function implementation(where: string, given: Implementation | undefined): Implementation {
  for (const member of ['name', 'version'] as const) {
    const value: unknown = given?.[member]
    if (typeof value === 'string' && value !== '') continue
    throw new DefinitionError(`\`${where}${member}\` must not be empty`, 'ERR_OPTION')
  }
  const { name, version, title, description, websiteUrl, icons } = given as Implementation
  if (icons !== undefined) checkPresentation(`${where}icons`, { icons })
  const members = { name, version, title, description, websiteUrl, icons }
  return Object.freeze(JSON.parse(JSON.stringify(members)) as Implementation)
}
