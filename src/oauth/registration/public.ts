import { checkDocumentUrl } from './document-url.js'
import { registration, type ClientIdentity, type Registration } from './registration.js'

/** A client without a secret that the authorization server knows. Throws `DefinitionError` (`ERR_OPTION`). RFC 6749 §2.1. */
export function publicClient(client: ClientIdentity): Registration {
  return naming(client, false)
}

/**
 * A client without a secret that is known by its metadata document. `clientId` is the https URL of the document, in its
 * exact serialisation and with a path; the authorization server reads it there.
 *
 * Throws `DefinitionError` (`ERR_OPTION`). OAuth Client ID Metadata Document draft, §3.
 */
export function publicClientMetadata(client: ClientIdentity): Registration {
  checkDocumentUrl(client.clientId)
  return naming(client, true)
}

function naming(client: ClientIdentity, isMetadataDocument: boolean): Registration {
  const { clientId } = client
  return registration(client, 'none', (_server, _client, body) => body.set('client_id', clientId), {
    isMetadataDocument,
  })
}
