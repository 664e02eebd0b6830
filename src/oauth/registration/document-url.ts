import { DefinitionError } from '../../errors.js'

/**
 * Checks the URL of a client metadata document, which is the client id, byte for byte: https in its exact serialisation,
 * with a path, without user name, password, fragment or dot segments. Throws `DefinitionError` (`ERR_OPTION`).
 */
export function checkDocumentUrl(clientId: string): void {
  const url = URL.canParse(clientId) ? new URL(clientId) : undefined
  const isDocument =
    url?.protocol === 'https:' &&
    url.href === clientId &&
    url.pathname !== '/' &&
    url.username === '' &&
    url.password === '' &&
    !clientId.includes('#')
  if (isDocument) return
  throw new DefinitionError(
    '`clientId` must be the https URL of the client metadata document, with a path and exactly as serialised',
    'ERR_OPTION',
  )
}
