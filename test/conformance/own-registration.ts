import { publicClient, type Registration } from 'castellan/transports'

export const redirectUri = 'https://client.example.com/callback'

interface ServerMetadata {
  readonly registration_endpoint: string
}

/**
 * Registers this program at an authorization server (RFC 7591), once for each. The library never does: it asks the host, through
 * `registration`, which client to be.
 */
export function ownRegistrations(): (issuer: string) => Promise<Registration> {
  const known = new Map<string, Promise<Registration>>()
  return (issuer) => {
    const registration = known.get(issuer) ?? register(issuer)
    known.set(issuer, registration)
    return registration
  }
}

async function register(issuer: string): Promise<Registration> {
  const { registration_endpoint: endpoint } = await metadataOf(issuer)
  const answer = await fetch(endpoint, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      client_name: 'castellan-everything-client',
      application_type: 'web',
      redirect_uris: [redirectUri],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
    }),
  })
  const { client_id: clientId } = (await answer.json()) as { client_id: string }
  return publicClient({ issuer, clientId, allowLoopbackHttp: true })
}

async function metadataOf(issuer: string): Promise<ServerMetadata> {
  const { origin, pathname } = new URL(issuer)
  const path = pathname === '/' ? '' : pathname
  const places = [
    `${origin}/.well-known/oauth-authorization-server${path}`,
    `${origin}/.well-known/openid-configuration${path}`,
    `${origin}${path}/.well-known/openid-configuration`,
  ]
  for (const place of places) {
    const answer = await fetch(place)
    if (answer.ok) return (await answer.json()) as ServerMetadata
  }
  throw new Error('The authorization server publishes no metadata')
}
