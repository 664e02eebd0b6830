import { jwtResourceServer, withDpop } from 'castellan/resource-server'
import { dpopKey, testAuthorizationServer } from 'castellan/testing'
import { describe, expect, it, onTestFinished } from 'vitest'
import { modern, post, rawExchange, rawPost } from '../wire.js'
import { metadataUrl, resource, whoami, writing } from './guarded.js'
import { listen } from './server.js'

const params = (name: string) => ({ name, arguments: {} })
const call = (name: string, headers: Record<string, string>) =>
  modern('tools/call', params(name), { headers })

async function start(options: Parameters<typeof withDpop>[1] = {}) {
  const as = await testAuthorizationServer()
  const auth = withDpop(jwtResourceServer({ resource, issuer: as.issuer, allowLoopbackHttp: true }), options)
  const origins = ['https://app.example.com']
  const server = await listen({ auth, basicScopes: ['mcp'], tools: [whoami, writing], origins })
  onTestFinished(async () => {
    await server.app.close()
    await auth.close()
    await as.close()
  })
  const key = await dpopKey()
  const token = await as.mint({ resource, scopes: ['mcp'], claims: { cnf: { jkt: key.jkt } } })
  const proof = (nonce?: string) =>
    key.proof({ method: 'POST', url: resource, token, ...(nonce !== undefined && { nonce }) })
  return { ...server, as, key, token, proof }
}

const dpop = (rest: string) =>
  `DPoP algs="ES256 ES384 EdDSA PS256 RS256", resource_metadata="${metadataUrl}"${rest}`

describe('A61 DPoP on a real socket', () => {
  it('lets the holder of the key in, once for each proof', async () => {
    const { url, token, proof } = await start()
    const headers = { authorization: `DPoP ${token}`, dpop: await proof() }
    const answer = await post(url, call('whoami', headers))
    expect(answer.status).toBe(200)
    expect(answer.json.result.structuredContent).toMatchObject({ subject: 'alice' })
    const again = await post(url, call('whoami', headers))
    expect([again.status, again.text]).toEqual([401, ''])
    expect(again.headers.get('www-authenticate')).toBe(dpop(', error="invalid_dpop_proof", scope="mcp"'))
  })

  it('G10 a stolen bound token is 401 as Bearer, with any proof and without', async () => {
    const { url, token, proof } = await start()
    const thief = await dpopKey()
    for (const proofs of [
      {},
      { dpop: await proof() },
      { dpop: await thief.proof({ method: 'POST', url: resource, token }) },
    ]) {
      const answer = await post(url, call('whoami', { authorization: `Bearer ${token}`, ...proofs }))
      expect([answer.status, answer.text]).toEqual([401, ''])
      expect(answer.headers.get('cache-control')).toBe('no-store')
      expect(answer.headers.get('www-authenticate')).toBe(
        `Bearer resource_metadata="${metadataUrl}", error="invalid_token", scope="mcp", ${dpop(', scope="mcp"')}`,
      )
    }
    const answer = await post(
      url,
      call('whoami', {
        authorization: `DPoP ${token}`,
        dpop: await thief.proof({ method: 'POST', url: resource, token }),
      }),
    )
    expect(answer.status).toBe(401)
    expect(answer.headers.get('www-authenticate')).toBe(dpop(', error="invalid_token", scope="mcp"'))
  })

  it('two DPoP lines are refused, however they are spelled', async () => {
    const { port, token, proof } = await start()
    const request = call('whoami', { authorization: `DPoP ${token}` })
    const lines = Object.entries(request.headers).map(([name, value]) => `${name}: ${value}`)
    const both = [...lines, `DPoP: ${await proof()}`, `dpop: ${await proof()}`]
    const answer = await rawExchange(port, [rawPost('/mcp', both, JSON.stringify(request.body))])
    expect(answer).toMatch(/^HTTP\/1\.1 401 /)
    expect(answer).toContain('error="invalid_dpop_proof"')
  })

  it('A106 asks for a nonce that browsers may read, and takes the proof with it', async () => {
    const { url, token, proof } = await start({ nonce: { secret: new Uint8Array(32).fill(7) } })
    const send = async (nonce?: string) =>
      post(
        url,
        call('whoami', {
          authorization: `DPoP ${token}`,
          dpop: await proof(nonce),
          origin: 'https://app.example.com',
        }),
      )
    const first = await send()
    expect(first.status).toBe(401)
    expect(first.headers.get('www-authenticate')).toBe(dpop(', error="use_dpop_nonce", scope="mcp"'))
    expect(first.headers.get('access-control-expose-headers')).toContain('DPoP-Nonce')
    const second = await send(first.headers.get('dpop-nonce')!)
    expect(second.status).toBe(200)
    expect(second.headers.get('dpop-nonce')).toBeNull()
  })

  it('A106 browsers may send proofs', async () => {
    const { url } = await start()
    const preflight = await fetch(url, {
      method: 'OPTIONS',
      headers: {
        origin: 'https://app.example.com',
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'authorization, dpop',
      },
    })
    expect(preflight.headers.get('access-control-allow-headers')?.split(', ')).toContain('DPoP')
  })

  it('A20 missing scopes are told for the scheme of the caller, too', async () => {
    const { url, token, proof } = await start()
    const answer = await post(url, call('writing', { authorization: `DPoP ${token}`, dpop: await proof() }))
    expect(answer.status).toBe(403)
    expect(answer.headers.get('www-authenticate')).toContain(
      dpop(', error="insufficient_scope", scope="notes:read notes:write"'),
    )
  })

  it('A42 the metadata names the algorithms', async () => {
    const { url } = await start({ required: true, algorithms: ['EdDSA'] })
    const answer = await fetch(new URL('/.well-known/oauth-protected-resource/mcp', url))
    expect(await answer.json()).toMatchObject({
      dpop_signing_alg_values_supported: ['EdDSA'],
      dpop_bound_access_tokens_required: true,
    })
  })
})
