import assert from 'node:assert/strict'
import { createRemoteJWKSet, jwtVerify } from 'jose'
import * as oauth from 'oauth4webapi'
import type { ConfidentialClient } from './authorization-server.js'
import type { Transcript } from './transcript.js'

/** The demo stays on loopback, where plain http is fine. */
// eslint-disable-next-line @typescript-eslint/no-deprecated -- marked so that it stands out, not to be removed
const loopback = { [oauth.allowInsecureRequests]: true }

export async function resourceMetadata(
  resource: string,
  url: string,
  transcript: Transcript,
): Promise<oauth.ResourceServer> {
  transcript.sent(`GET ${url}`)
  const response = await fetch(url)
  const metadata = await oauth.processResourceDiscoveryResponse(new URL(resource), response)
  transcript.got(`200 resource ${metadata.resource}`)
  transcript.got(`    authorization_servers ${metadata.authorization_servers?.join(' ') ?? 'none'}`)
  return metadata
}

export async function issuerMetadata(
  issuer: string,
  transcript: Transcript,
): Promise<oauth.AuthorizationServer> {
  transcript.sent(`GET ${issuer}/.well-known/oauth-authorization-server`)
  const response = await oauth.discoveryRequest(new URL(issuer), { algorithm: 'oauth2', ...loopback })
  const metadata = await oauth.processDiscoveryResponse(new URL(issuer), response)
  assert.equal(metadata.issuer, issuer)
  transcript.got(`200 issuer ${metadata.issuer}`)
  transcript.got(`    token_endpoint ${metadata.token_endpoint ?? 'none'}`)
  return metadata
}

export interface TokenRequest {
  readonly server: oauth.AuthorizationServer
  readonly client: ConfidentialClient
  readonly resource: string
  readonly scope: string
}

/** A client credentials grant, and a look into what it gave: a JWT for exactly this resource. */
export async function accessToken(request: TokenRequest, transcript: Transcript): Promise<string> {
  const { server, client, resource, scope } = request
  transcript.sent(`POST ${server.token_endpoint ?? ''}  grant_type=client_credentials`)
  transcript.sent(`     resource=${resource} scope="${scope}"`)
  const identity = { client_id: client.clientId }
  const response = await oauth.clientCredentialsGrantRequest(
    server,
    identity,
    oauth.ClientSecretBasic(client.clientSecret),
    new URLSearchParams({ resource, scope }),
    loopback,
  )
  const { access_token: token } = await oauth.processClientCredentialsResponse(server, identity, response)
  await inspect(token, request, transcript)
  return token
}

async function inspect(token: string, { server, resource, scope }: TokenRequest, transcript: Transcript) {
  const keys = createRemoteJWKSet(new URL(server.jwks_uri ?? ''))
  const { payload, protectedHeader } = await jwtVerify(token, keys, {
    issuer: server.issuer,
    audience: resource,
    typ: 'at+jwt',
    algorithms: ['ES256'],
  })
  assert.equal(payload.aud, resource)
  assert.equal(payload['scope'], scope)
  transcript.got(`200 access_token ${token}`)
  transcript.got(`    ${protectedHeader.typ ?? ''}, ${protectedHeader.alg}, iss ${payload.iss ?? ''}`)
  transcript.got(`    aud ${payload.aud}, sub ${payload.sub ?? ''}, scope "${scope}"`)
}
