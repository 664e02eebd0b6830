import { checkPresentation, type Icon } from '../contract/presentation.js'
import { DefinitionError } from '../errors.js'

/** Who a server says it is (MCP 2026-07-28, schema, "Implementation"). Never proof of anything. */
export interface ServerIdentity {
  readonly name: string
  readonly version: string
  readonly title?: string
  readonly description?: string
  readonly websiteUrl?: string
  readonly icons?: readonly Icon[]
}

/** The identity as JSON text, in this order. Throws `ERR_OPTION` without a name and a version. */
export function identityJson({
  name,
  version,
  title,
  description,
  websiteUrl,
  icons,
}: ServerIdentity): string {
  if (typeof name !== 'string' || name === '' || typeof version !== 'string' || version === '') {
    throw new DefinitionError('A server needs a name and a version', 'ERR_OPTION')
  }
  if (icons !== undefined) checkPresentation(`server ${name}`, { icons })
  return JSON.stringify({ name, version, title, description, websiteUrl, icons })
}
