import { randomBytes } from 'node:crypto'
import { memoryAuthorizationStore } from 'castellan/store'
import { authorizationCodeTransport, publicClient } from 'castellan/transports'
import { decodeJwt } from 'jose'
import { expect, test } from 'vitest'
import { consentingProvider } from '../authorization-code/consenting-provider.js'
import { ask, consentOf, redirectUri } from '../authorization-code/web-app.js'
import { protectedServer } from '../protected-server.js'

test('A61 B62 RFC 9449 §5 §8 §10 oidc-provider binds code, token and refresh token to the key of a user’s grant', async () => {
  const redirect_uris = [redirectUri]
  const provider = await consentingProvider([
    { client_id: 'web', token_endpoint_auth_method: 'none', dpop_bound_access_tokens: true, redirect_uris },
  ])
  const dpop = { required: true, nonce: { secret: randomBytes(32) } }
  const server = await protectedServer({ ofUsers: true, issuer: provider.issuer, dpop })
  const store = memoryAuthorizationStore()
  const instance = () =>
    authorizationCodeTransport.forWeb({
      endpoint: server.endpoint,
      registration: publicClient({ issuer: provider.issuer, clientId: 'web', allowLoopbackHttp: true }),
      redirectUri,
      store: () => store,
      dpop: true,
      allowLoopbackHttp: true,
    })
  const consent = instance()
  const { url } = await consentOf(ask(consent))
  await consent.finish('alice', await provider.browse(url, redirectUri))
  expect(await ask(consent)).toEqual({ subject: 'alice', scopes: ['mcp'] })
  for (const { token } of server.seen) if (token !== undefined) server.refused.add(token)
  const restarted = instance()
  expect(await ask(restarted)).toEqual({ subject: 'alice', scopes: ['mcp'] })
  const tokens = new Set(server.seen.flatMap(({ token }) => token ?? []))
  const jkt = new URL(url).searchParams.get('dpop_jkt')
  expect(tokens.size).toBe(2)
  for (const token of tokens) expect(decodeJwt(token)['cnf']).toEqual({ jkt })
  await Promise.all([consent.close(), restarted.close()])
  await server.stop()
  await provider.close()
})
