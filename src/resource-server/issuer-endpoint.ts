import type { AuthorizationServer } from 'oauth4webapi'
import type { DocumentFetcher } from '../network/document-fetcher.js'
import { metadataUrl, readIssuerMetadata } from './issuer-metadata.js'

/** Where to ask, and the server as client authentication needs to know it; or why nobody knows. */
type LocatedEndpoint =
  | { readonly ok: true; readonly url: string; readonly server: AuthorizationServer }
  | { readonly ok: false; readonly reason: string }

/** An endpoint of one issuer: for introspection, or for tokens. */
export interface IssuerEndpoint {
  locate(): LocatedEndpoint | Promise<LocatedEndpoint>
  /** Asking there failed: it may have moved. */
  doubt(): void
}

/** The endpoint that the operator has written. */
export function fixedEndpoint(url: string, server: AuthorizationServer): IssuerEndpoint {
  const located: LocatedEndpoint = { ok: true, url, server }
  return { locate: () => located, doubt: () => undefined }
}

type EndpointMember = 'introspection_endpoint' | 'token_endpoint'

/** The endpoint that the metadata of the issuer names, read once for all who wait, and again after it failed. */
export function publishedEndpoint(
  issuer: string,
  member: EndpointMember,
  allowLoopbackHttp: boolean,
  fetcher: DocumentFetcher,
): IssuerEndpoint {
  let known: LocatedEndpoint | undefined
  let reading: Promise<LocatedEndpoint> | undefined

  async function read(): Promise<LocatedEndpoint> {
    try {
      const located = await readEndpoint(issuer, member, allowLoopbackHttp, fetcher)
      known = located.ok ? located : undefined
      return located
    } finally {
      reading = undefined
    }
  }

  return {
    locate: () => known ?? (reading ??= read()),
    doubt: () => void (known = undefined),
  }
}

async function readEndpoint(
  issuer: string,
  member: EndpointMember,
  allowLoopbackHttp: boolean,
  fetcher: DocumentFetcher,
): Promise<LocatedEndpoint> {
  const metadata = await readIssuerMetadata(issuer, fetcher)
  if (!metadata.ok) return metadata
  const endpoint = metadataUrl(metadata.document, member, allowLoopbackHttp)
  if (!endpoint.ok) return endpoint
  const tokenEndpoint = metadata.document['token_endpoint']
  const server = { issuer, ...(typeof tokenEndpoint === 'string' && { token_endpoint: tokenEndpoint }) }
  return { ok: true, url: endpoint.url, server }
}
