/** A client that a test authorization server knows. */
export interface TestClient {
  readonly clientId: string
  /** Left out: a public client, which can only act for users. */
  readonly clientSecret?: string
  /** Where users may be sent back to. Loopback addresses without a port stand for every port (RFC 8252 §7.3). */
  readonly redirectUris?: readonly string[]
}

/** The client of a name: one of those known, or any https URL with a path, whose metadata document is not fetched. */
export function clientNamed(clientId: string, clients: readonly TestClient[]): TestClient | undefined {
  const known = clients.find((each) => each.clientId === clientId)
  const isDocument =
    URL.canParse(clientId) && clientId.startsWith('https://') && new URL(clientId).pathname !== '/'
  return known ?? (isDocument ? { clientId } : undefined)
}

/** Whether users of a client may be sent there; with clients known by a document, anywhere. */
export function mayRedirect(client: TestClient, uri: string): boolean {
  if (!URL.canParse(uri)) return false
  const { redirectUris = client.clientId.startsWith('https://') ? [uri] : [] } = client
  const anyPort = uri.replace(/^(http:\/\/(?:127\.0\.0\.1|\[::1\]|localhost)):\d+\//, '$1/')
  return redirectUris.includes(uri) || redirectUris.includes(anyPort)
}
