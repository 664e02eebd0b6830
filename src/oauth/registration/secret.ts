import { printable, registration, type ClientIdentity, type Registration } from './registration.js'

/** A client with a secret. */
export interface SecretClient extends ClientIdentity {
  readonly clientSecret: string
}

/** Options of `secretBasic`. */
export interface SecretBasicClient extends SecretClient {
  /** `form` (default) encodes both halves as RFC 6749 §2.3.1 says; `raw` is for servers that do not decode them. */
  readonly basicCredentialEncoding?: 'form' | 'raw'
}

/**
 * A client that sends its secret in the `Authorization` header (RFC 6749 §2.3.1).
 *
 * Throws `DefinitionError` (`ERR_OPTION`).
 */
export function secretBasic(client: SecretBasicClient): Registration {
  const { clientId, basicCredentialEncoding = 'form' } = client
  const clientSecret = printable('clientSecret', client.clientSecret)
  const encode = basicCredentialEncoding === 'form' ? formEncoded : (value: string) => value
  const credentials = Buffer.from(
    `${encode(printable('clientId', clientId))}:${encode(clientSecret)}`,
  ).toString('base64')
  return registration(client, 'client_secret_basic', (_server, _client, _body, headers) => {
    headers.set('authorization', `Basic ${credentials}`)
  })
}

/**
 * A client that sends its secret in the body (RFC 6749 §2.3.1).
 *
 * Throws `DefinitionError` (`ERR_OPTION`).
 */
export function secretPost(client: SecretClient): Registration {
  const clientSecret = printable('clientSecret', client.clientSecret)
  return registration(client, 'client_secret_post', (_server, _client, body) => {
    body.set('client_id', client.clientId)
    body.set('client_secret', clientSecret)
  })
}

/** Encodes what a form must have encoded and nothing else: some servers compare without decoding. */
function formEncoded(value: string): string {
  return encodeURIComponent(value).replaceAll('%20', '+')
}
