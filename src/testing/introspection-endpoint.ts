import type { MintedTokens } from './token-mint.js'
import type { TestClient } from './test-client.js'
import { authenticatedClient, type TokenRequest } from './token-endpoint.js'

/** One request at the introspection endpoint. */
export interface IntrospectionRequest extends TokenRequest {
  readonly accept: string | undefined
}

/** An answer; JSON unless it names another content type and holds text. */
export interface IntrospectionAnswer {
  readonly status: number
  readonly contentType?: string
  readonly body: unknown
}

const signedType = 'token-introspection+jwt'

/** Says whether a token is active (RFC 7662 §2.2); signed when the request accepts that (RFC 9701 §5). */
export async function answerIntrospection(
  request: IntrospectionRequest,
  issuer: string,
  clients: readonly TestClient[],
  { find, sign }: MintedTokens,
): Promise<IntrospectionAnswer> {
  const client = authenticatedClient(request, clients)
  if (client?.clientSecret === undefined) return { status: 401, body: { error: 'invalid_client' } }
  const token = new URLSearchParams(request.body).get('token')
  if (token === null) return { status: 400, body: { error: 'invalid_request' } }
  const answer = introspect(find(token))
  if (request.accept !== `application/${signedType}`) return { status: 200, body: answer }
  const iat = Math.floor(Date.now() / 1000)
  const claims = { iss: issuer, aud: client.clientId, iat, token_introspection: answer }
  return {
    status: 200,
    contentType: `application/${signedType}`,
    body: await sign(JSON.stringify(claims), { typ: signedType }),
  }
}

function introspect(claims: Readonly<Record<string, unknown>> | undefined): unknown {
  const ended = typeof claims?.['exp'] === 'number' && claims['exp'] <= Date.now() / 1000
  return claims === undefined || ended ? { active: false } : { active: true, token_type: 'Bearer', ...claims }
}
