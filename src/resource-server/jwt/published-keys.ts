import type { JWK } from 'jose'
import { isLoopback } from '../../oauth/exact-url.js'
import { issuerMetadataUrls } from '../../oauth/issuer-metadata-urls.js'
import type { DocumentFetcher, FetchedDocument } from '../../network/document-fetcher.js'
import type { KeyLoader, LoadedKeys } from './key-set.js'

const maxKeys = 100

type Located =
  { readonly ok: true; readonly jwksUri: string } | { readonly ok: false; readonly reason: string }

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
      jwksUri = located.jwksUri
    }
    const keys = readKeys(await fetcher.get(jwksUri))
    if (!keys.ok) jwksUri = undefined
    return keys
  }
}

async function locateKeys(
  issuer: string,
  allowLoopbackHttp: boolean,
  fetcher: DocumentFetcher,
): Promise<Located> {
  for (const url of issuerMetadataUrls(issuer)) {
    const fetched = await fetcher.get(url)
    if (fetched.ok) return readLocation(fetched.document, issuer, allowLoopbackHttp)
    if (fetched.status !== 404) return { ok: false, reason: `issuer metadata: ${fetched.fault}` }
  }
  return { ok: false, reason: 'issuer metadata: not found' }
}

function readLocation(
  document: Record<string, unknown>,
  issuer: string,
  allowLoopbackHttp: boolean,
): Located {
  if (document['issuer'] !== issuer) return { ok: false, reason: 'issuer metadata: another issuer' }
  const jwksUri = document['jwks_uri']
  if (typeof jwksUri !== 'string' || !URL.canParse(jwksUri))
    return { ok: false, reason: 'issuer metadata: no keys' }
  const url = new URL(jwksUri)
  const allowed =
    url.protocol === 'https:' || (allowLoopbackHttp && url.protocol === 'http:' && isLoopback(url))
  return allowed ? { ok: true, jwksUri } : { ok: false, reason: 'issuer metadata: keys not at https' }
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
