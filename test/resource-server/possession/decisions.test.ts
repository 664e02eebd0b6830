import { describe, expect, it } from 'vitest'
import { createGuard, publishedMetadata, withDpop } from '../../../src/resource-server/index.js'
import type { ResourceServer, Verification } from '../../../src/resource-server/index.js'
import { dpopKey } from '../../../src/testing/index.js'
import { resource } from '../fixture.js'
import { bearerChallenge, dpopChallenge, dpopGuard, metadata, told } from './fixture.js'

const unproven = [401, 'proof', dpopChallenge('invalid_token')]
const bothAsked = `${bearerChallenge()}, ${dpopChallenge()}`
const bearerRefused = `${bearerChallenge('invalid_token')}, ${dpopChallenge()}`

describe('A61 tokens and schemes', () => {
  it('takes a bound token with its proof, at the first and the second sight of the token', async () => {
    const { present, mintBound, proof } = await dpopGuard()
    const token = await mintBound()
    expect(told(await present(`DPoP ${token}`, await proof(token)))).toBe('alice')
    expect(told(await present(`dpop  ${token}`, await proof(token)))).toBe('alice')
  })

  it.each(['ES256', 'ES384', 'EdDSA', 'PS256', 'RS256'])('takes proofs signed with %s', async (algorithm) => {
    const { present, mintBound, proof } = await dpopGuard()
    const key = await dpopKey(algorithm)
    const token = await mintBound({}, key)
    expect(told(await present(`DPoP ${token}`, await proof(token, {}, key)))).toBe('alice')
  })

  it('G10 refuses a bound token as Bearer, with and without a proof', async () => {
    const { present, mintBound, proof } = await dpopGuard()
    const token = await mintBound()
    expect(told(await present(`Bearer ${token}`))).toEqual([401, 'proof', bearerRefused])
    expect(told(await present(`Bearer ${token}`, await proof(token)))).toEqual([401, 'proof', bearerRefused])
  })

  it('takes an unbound token as Bearer at once, and refuses it with the DPoP scheme', async () => {
    const { as, guard, present, proof } = await dpopGuard()
    const token = await as.mint({ resource })
    expect(told(await present(`Bearer ${token}`))).toBe('alice')
    const request = {
      authorization: [`Bearer ${token}`],
      proofs: [],
      method: 'POST',
      target: resource,
      url: '/',
    }
    expect(guard.authenticate(request)).not.toBeInstanceOf(Promise)
    expect(told(await present(`DPoP ${token}`, await proof(token)))).toEqual(unproven)
  })

  it('A15 without credentials both schemes are asked for, Bearer first, without an error', async () => {
    const { present } = await dpopGuard()
    expect(told(await present('Basic abc'))).toEqual([401, 'no-credentials', bothAsked])
  })

  it('A15 B075 a server without DPoP does not know the scheme and keeps refusing bound tokens', async () => {
    const { as, resourceServer, mintBound, proof } = await dpopGuard()
    const { possession, ...plain } = resourceServer
    expect(possession).toBeDefined()
    const guard = createGuard({ resourceServer: plain, basicScopes: ['mcp'] })
    const token = await mintBound()
    const request = { method: 'POST', target: resource, url: '/', proofs: [await proof(token)] }
    expect(told(await guard.authenticate({ ...request, authorization: [`DPoP ${token}`] }))).toEqual([
      401,
      'no-credentials',
      bearerChallenge(),
    ])
    expect(told(await guard.authenticate({ ...request, authorization: [`Bearer ${token}`] }))).toEqual([
      401,
      'proof',
      bearerChallenge('invalid_token'),
    ])
    const unbound = await as.mint({ resource })
    expect(told(await guard.authenticate({ ...request, authorization: [`Bearer ${unbound}`] }))).toBe('alice')
  })

  it('A16 a malformed token with the DPoP scheme is refused with its challenge', async () => {
    const { present } = await dpopGuard()
    expect(told(await present('DPoP a b'))).toEqual([401, 'malformed', dpopChallenge('invalid_token')])
  })

  it('G16 a bad token says the same whatever the proof, and the same as another key', async () => {
    const { as, present, mintBound, proof } = await dpopGuard({ nonce: { secret: new Uint8Array(32) } })
    const answers = new Set<string>()
    const tokens = [
      await as.mintBad('expired', { resource }),
      await as.mintBad('wrong-key', { resource }),
      await as.mintBad('wrong-audience', { resource }),
      'opaque',
    ]
    for (const token of tokens) {
      const proofs = [[], ['x'], ['x', 'y'], [await proof(token)], [await proof('another')]]
      for (const lines of proofs) {
        const decision = await present(`DPoP ${token}`, ...lines)
        answers.add(JSON.stringify([(decision as { status: number }).status, (decision as any).headers]))
      }
    }
    const bound = await mintBound()
    const otherKey = await present(`DPoP ${bound}`, await proof(bound, {}, await dpopKey()))
    answers.add(JSON.stringify([401, (otherKey as any).headers]))
    expect(answers.size).toBe(1)
    expect([...answers][0]).toContain('invalid_token')
  })

  it('A13 A14 400 tells the error of both schemes', async () => {
    const { guard } = await dpopGuard()
    const asked = {
      authorization: ['DPoP a', 'DPoP a'],
      proofs: [],
      method: 'POST',
      target: resource,
      url: '/',
    }
    const algs = dpopChallenge().split(',')[0]!
    const both = `Bearer ${metadata}, error="invalid_request", ${algs}, ${metadata}, error="invalid_request"`
    expect(told(await guard.authenticate(asked))).toEqual([400, 'several-credentials', both])
    expect(told(await guard.authenticate({ ...asked, url: '/?access_token' }))).toEqual([
      400,
      'query-token',
      both,
    ])
  })

  it('A20 A30 403 names the scopes for both schemes, each parameter once', async () => {
    const { guard } = await dpopGuard()
    const [status, , challenge] = told(guard.forbid(['a', 'b'])) as [number, string, string]
    expect(status).toBe(403)
    expect(challenge).toBe(
      `${bearerChallenge('insufficient_scope')}, ${dpopChallenge('insufficient_scope')}`
        .replaceAll('mcp"', 'a b"')
        .replaceAll('protected-resource/a b"', 'protected-resource/mcp"'),
    )
  })
})

describe('A61 DPoP required', () => {
  it('turns every Bearer token away with the DPoP challenge only', async () => {
    const { as, present, mintBound, proof } = await dpopGuard({ required: true })
    const bound = await mintBound()
    for (const token of [await as.mint({ resource }), bound, 'x']) {
      expect(told(await present(`Bearer ${token}`))).toEqual([401, 'no-credentials', dpopChallenge()])
    }
    expect(told(await present(`DPoP ${bound}`, await proof(bound)))).toBe('alice')
    expect(told(await present(`DPoP ${bound}`))).toEqual([
      401,
      'proof-count',
      dpopChallenge('invalid_dpop_proof'),
    ])
  })
})

describe('A61 whatever verifies the token', () => {
  const principal = {
    issuer: 'https://login.example.com',
    subject: 'carol',
    scopes: [],
    expiresAt: 4e9,
    claims: {},
  }
  const verifying = (verification: Verification | (() => never)): ResourceServer => ({
    resource,
    issuers: ['https://login.example.com'],
    verify: () => (typeof verification === 'function' ? verification() : verification),
    close: () => Promise.resolve(),
  })
  const request = { authorization: ['DPoP opaque'], method: 'POST', target: resource, url: '/mcp' }

  it('works over a server of the host whose methods live on a class', async () => {
    const { key } = await dpopGuard()
    class Own implements ResourceServer {
      readonly issuers = ['https://login.example.com']
      readonly #jkt = key.jkt
      closed = false
      get resource() {
        return resource
      }
      verify(): Verification {
        return { outcome: 'bound', principal, confirmation: { jkt: this.#jkt } }
      }
      async close() {
        this.closed = true
      }
    }
    const own = new Own()
    const guarded = withDpop(own)
    const guard = createGuard({ resourceServer: guarded })
    const proof = await key.proof({ method: 'POST', url: resource, token: 'opaque' })
    expect(told(await guard.authenticate({ ...request, proofs: [proof] }))).toBe('carol')
    await guarded.close()
    expect(own.closed).toBe(true)
  })

  it('a confirmation without any key proves nothing', async () => {
    const bound = verifying({ outcome: 'bound', principal, confirmation: {} })
    for (const scheme of ['DPoP', 'Bearer']) {
      const guard = createGuard({ resourceServer: withDpop(bound) })
      const decision = await guard.authenticate({ ...request, authorization: [`${scheme} x`], proofs: [] })
      expect(decision).toMatchObject({ status: 401, reason: 'proof' })
    }
  })

  it('A18 a verifier that cannot tell is 503 without a challenge, also with the DPoP scheme', async () => {
    for (const broken of [
      verifying({ outcome: 'undecided', reason: 'keys: timeout' }),
      verifying(() => {
        throw new Error('broken')
      }),
    ]) {
      const guard = createGuard({ resourceServer: withDpop(broken) })
      const decision = await guard.authenticate({ ...request, proofs: ['x'] })
      expect(decision).toMatchObject({ status: 503, headers: { 'cache-control': 'no-store' } })
      expect((decision as { headers: object }).headers).not.toHaveProperty('www-authenticate')
    }
  })

  it('A42 the metadata says what is taken', () => {
    const server = verifying({ outcome: 'refused', reason: 'key' })
    const certificate = () => undefined
    expect(
      publishedMetadata({ resourceServer: withDpop(server, { algorithms: ['ES256'] }) }).document,
    ).toEqual({
      resource,
      authorization_servers: ['https://login.example.com'],
      bearer_methods_supported: ['header'],
      dpop_signing_alg_values_supported: ['ES256'],
    })
    const strict = withDpop({ ...server, possession: { certificate } }, { required: true })
    expect(publishedMetadata({ resourceServer: strict }).document).toEqual({
      resource,
      authorization_servers: ['https://login.example.com'],
      dpop_signing_alg_values_supported: ['ES256', 'ES384', 'EdDSA', 'PS256', 'RS256'],
      dpop_bound_access_tokens_required: true,
      tls_client_certificate_bound_access_tokens: true,
    })
  })
})
