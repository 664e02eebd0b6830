import type { DocumentFetcher } from '../network/document-fetcher.js'
import { isLoopback } from '../oauth/exact-url.js'
import { issuerMetadataUrls } from '../oauth/issuer-metadata-urls.js'

/** The metadata of an authorization server, or why there is none. */
export type IssuerMetadata =
  | { readonly ok: true; readonly document: Readonly<Record<string, unknown>> }
  | { readonly ok: false; readonly reason: string }

type MetadataUrl =
  { readonly ok: true; readonly url: string } | { readonly ok: false; readonly reason: string }

/**
 * Reads the metadata of an issuer, which must name exactly that issuer; only 404 leads on to the next place.
 * RFC 8414 §3, OpenID Connect Discovery 1.0 §4.
 */
export async function readIssuerMetadata(issuer: string, fetcher: DocumentFetcher): Promise<IssuerMetadata> {
  for (const url of issuerMetadataUrls(issuer)) {
    const fetched = await fetcher.get(url)
    if (fetched.ok) {
      const { document } = fetched
      return document['issuer'] === issuer ? { ok: true, document } : failed('another issuer')
    }
    if (fetched.status !== 404) return failed(fetched.fault)
  }
  return failed('not found')
}

/** The URL that a member of the metadata names: https, or http on a loopback host where that is allowed. */
export function metadataUrl(
  document: Readonly<Record<string, unknown>>,
  member: 'jwks_uri' | 'introspection_endpoint' | 'token_endpoint',
  allowLoopbackHttp: boolean,
): MetadataUrl {
  const value = document[member]
  if (typeof value !== 'string' || !URL.canParse(value)) return failed(`no ${member}`)
  const url = new URL(value)
  const allowed =
    url.protocol === 'https:' || (allowLoopbackHttp && url.protocol === 'http:' && isLoopback(url))
  return allowed ? { ok: true, url: value } : failed(`${member} is not at https`)
}

function failed(reason: string): { readonly ok: false; readonly reason: string } {
  return { ok: false, reason: `issuer metadata: ${reason}` }
}
