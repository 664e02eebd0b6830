import type { JWK } from 'jose'
import type { DocumentFetcher, FetchedDocument } from '../../network/document-fetcher.js'
import { metadataUrl, readIssuerMetadata } from '../issuer-metadata.js'
import type { KeyLoader, LoadedKeys } from './key-set.js'

const maxKeys = 100

/** Reads keys from one configured URL. */
export function keysAt(jwksUri: string, fetcher: DocumentFetcher): KeyLoader {
  return async () => readKeys(await fetcher.get(jwksUri))
}

/**
 * Reads keys from the `jwks_uri` in the metadata of an issuer, which must name exactly that issuer.
 *
 * The location is kept until reading from it fails. RFC 8414 §3, OpenID Connect Discovery 1.0 §4.
 */
export function keysOfIssuer(
  issuer: string,
  allowLoopbackHttp: boolean,
  fetcher: DocumentFetcher,
): KeyLoader {
  let jwksUri: string | undefined
  return async () => {
    if (jwksUri === undefined) {
      const located = await locateKeys(issuer, allowLoopbackHttp, fetcher)
      if (!located.ok) return located
      jwksUri = located.url
    }
    const keys = readKeys(await fetcher.get(jwksUri))
    if (!keys.ok) jwksUri = undefined
    return keys
  }
}

async function locateKeys(issuer: string, allowLoopbackHttp: boolean, fetcher: DocumentFetcher) {
  const metadata = await readIssuerMetadata(issuer, fetcher)
  return metadata.ok ? metadataUrl(metadata.document, 'jwks_uri', allowLoopbackHttp) : metadata
}

function readKeys(fetched: FetchedDocument): LoadedKeys {
  if (!fetched.ok) return { ok: false, reason: `keys: ${fetched.fault}` }
  const keys: unknown = fetched.document['keys']
  if (!Array.isArray(keys)) return { ok: false, reason: 'keys: not a key set' }
  if (keys.length > maxKeys) return { ok: false, reason: 'keys: too many' }
  return { ok: true, keys: keys.filter(isKey) }
}

function isKey(value: unknown): value is JWK {
  return typeof value === 'object' && value !== null && 'kty' in value && typeof value.kty === 'string'
}
