import { describe, expect, it } from 'vitest'
import { resource, resourceServerAt, setClock, startAuthorizationServer } from './fixture.js'
import {
  createGuard,
  isRejection,
  publishedMetadata,
  type ResourceServer,
} from '../../src/resource-server/index.js'

const metadata = 'resource_metadata="https://api.example.com/.well-known/oauth-protected-resource/mcp"'

const undecided: ResourceServer = {
  resource,
  issuers: ['https://login.example.com'],
  verify: () => ({ outcome: 'undecided', reason: 'keys: timeout', retryAfterSeconds: 1.5 }),
  close: () => Promise.resolve(),
}

const sent = { method: 'POST', target: resource, proofs: [] }

const neverAsked: ResourceServer = {
  ...undecided,
  verify: () => {
    throw new Error('asked')
  },
}

function rejection(status: number, reason: string, challenge: string) {
  return {
    status,
    reason,
    headers: { 'cache-control': 'no-store', 'www-authenticate': `Bearer ${challenge}` },
  }
}

describe('the decision table', () => {
  const guard = createGuard({ resourceServer: neverAsked, basicScopes: ['b', 'a'] })

  it.each([
    ['a token in the query', '/mcp?access_token=x', []],
    ['an encoded one', '/mcp?%61ccess_token=x', []],
    ['one beside a header', '/mcp?access_token=x', ['Bearer good']],
    ['one beside two headers', '/mcp?access_token=x', ['Bearer a', 'Bearer b']],
    ['a query nobody can read', '/mcp?x=%', ['Bearer good']],
  ])('A13 %s is 400 invalid_request', (_, url, authorization) => {
    expect(guard.authenticate({ ...sent, url, authorization })).toEqual(
      rejection(400, 'query-token', `${metadata}, error="invalid_request"`),
    )
  })

  it('A14 two Authorization lines are 400 invalid_request', () => {
    expect(guard.authenticate({ ...sent, url: '/mcp', authorization: ['Bearer a', 'Bearer a'] })).toEqual(
      rejection(400, 'several-credentials', `${metadata}, error="invalid_request"`),
    )
  })

  it.each([[[]], [['']], [['Basic abc']], [['DPoP abc']]])(
    'A15 B075 %j is 401 without error',
    (authorization) => {
      expect(guard.authenticate({ ...sent, url: '/mcp', authorization })).toEqual(
        rejection(401, 'no-credentials', `${metadata}, scope="b a"`),
      )
    },
  )

  it.each(['Bearer', 'Bearer ', 'Bearer x y', `Bearer ${'x'.repeat(16_385)}`])(
    'A16 %s is 401 invalid_token without asking the verifier',
    (value) => {
      expect(guard.authenticate({ ...sent, url: '/mcp', authorization: [value] })).toEqual(
        rejection(401, 'malformed', `${metadata}, error="invalid_token", scope="b a"`),
      )
    },
  )

  it('A17 G16 the caller cannot tell refusals apart', async () => {
    const as = await startAuthorizationServer()
    const real = createGuard({ resourceServer: resourceServerAt(setClock(), { issuer: as.issuer }) })
    const answers = new Set<string>()
    for (const kind of ['expired', 'wrong-key', 'wrong-audience', 'alg-none', 'cnf', 'malformed'] as const) {
      const token = await as.mintBad(kind, { resource })
      const decision = await real.authenticate({ ...sent, url: '/mcp', authorization: [`Bearer ${token}`] })
      if (isRejection(decision)) answers.add(JSON.stringify([decision.status, decision.headers]))
    }
    expect(answers.size).toBe(1)
  })

  it('A18 a verifier that cannot tell is 503 without a challenge', () => {
    const sick = createGuard({ resourceServer: undecided, basicScopes: ['a'] })
    expect(sick.authenticate({ ...sent, url: '/mcp', authorization: ['Bearer x'] })).toEqual({
      status: 503,
      reason: 'undecided',
      detail: 'keys: timeout',
      headers: { 'cache-control': 'no-store', 'retry-after': '2' },
    })
  })

  it('A18 a real outage is 503 with Retry-After', async () => {
    const as = await startAuthorizationServer()
    as.fault('jwks', 'outage')
    const sick = createGuard({ resourceServer: resourceServerAt(setClock(), { issuer: as.issuer }) })
    const token = await as.mint({ resource })
    const decision = await sick.authenticate({ ...sent, url: '/mcp', authorization: [`Bearer ${token}`] })
    expect(decision).toMatchObject({ status: 503, headers: { 'retry-after': '1' }, detail: 'keys: status' })
    expect((decision as { headers: object }).headers).not.toHaveProperty('www-authenticate')
  })

  it.each([
    [['files:read', 'files:write'], 'files:read files:write'],
    [[['x', 'y'], ['admin']], 'x y'],
    [['z'], 'z'],
  ])('A20 A31 B086 lacking %j is one 403 challenge with all of them', (rule, scope) => {
    expect(guard.forbid(rule)).toEqual(
      rejection(403, 'insufficient-scope', `${metadata}, error="insufficient_scope", scope="${scope}"`),
    )
  })

  it('A33 refuses rules and basic scopes outside the grammar', () => {
    expect(() => guard.forbid(['a"'])).toThrow(expect.objectContaining({ code: 'ERR_OPTION' }))
    for (const basicScopes of [['a\r\nb'], ['offline_access']]) {
      expect(() => createGuard({ resourceServer: undecided, basicScopes })).toThrow('basicScopes')
    }
  })

  it('A24 rejections are frozen', () => {
    for (const made of [
      guard.forbid(['a']),
      guard.authenticate({ ...sent, url: '/mcp', authorization: [] }),
    ]) {
      expect(Object.isFrozen(made) && Object.isFrozen((made as { headers: object }).headers)).toBe(true)
    }
  })
})

describe('a good token', () => {
  it('gives its principal, later the first time and at once the second', async () => {
    const as = await startAuthorizationServer()
    const guard = createGuard({ resourceServer: resourceServerAt(setClock(), { issuer: as.issuer }) })
    const token = await as.mint({ resource, subject: 'bob', scopes: ['a'] })
    const first = guard.authenticate({ ...sent, url: '/mcp?x=1', authorization: [`bearer   ${token}`] })
    expect(first).toBeInstanceOf(Promise)
    expect(await first).toMatchObject({ subject: 'bob', scopes: ['a'] })
    expect(guard.authenticate({ ...sent, url: '/mcp', authorization: [`Bearer ${token}`] })).toBe(await first)
  })
})

describe('published metadata', () => {
  const resourceServer: ResourceServer = { ...undecided, issuers: ['https://login.example.com/'] }

  it('A42 A43 A44 says exactly what it must, byte for byte', () => {
    const published = publishedMetadata({ resourceServer })
    expect(published.path).toBe('/.well-known/oauth-protected-resource/mcp')
    expect(JSON.parse(published.body)).toEqual({
      resource,
      authorization_servers: ['https://login.example.com/'],
      bearer_methods_supported: ['header'],
    })
    expect(published.headers).toEqual({
      'content-type': 'application/json',
      'cache-control': 'public, max-age=300',
      'access-control-allow-origin': '*',
    })
  })

  it('A42 adds scopes, name and documentation', () => {
    const { document } = publishedMetadata({
      resourceServer,
      basicScopes: ['notes:read'],
      resourceName: 'Notes',
      resourceDocumentation: 'https://example.com/docs',
    })
    expect(document).toMatchObject({
      scopes_supported: ['notes:read'],
      resource_name: 'Notes',
      resource_documentation: 'https://example.com/docs',
    })
  })

  it('A32 B082 never lists offline_access', () => {
    expect(() => publishedMetadata({ resourceServer, basicScopes: ['offline_access'] })).toThrow(
      'offline_access',
    )
  })

  it('A34 B081 stands at the URL that every challenge names', () => {
    const guard = createGuard({ resourceServer })
    const { url } = publishedMetadata({ resourceServer })
    const rejections = [
      guard.authenticate({ ...sent, url: '/?access_token', authorization: [] }),
      guard.authenticate({ ...sent, url: '/', authorization: [] }),
      guard.authenticate({ ...sent, url: '/', authorization: ['Bearer'] }),
      guard.forbid(['a']),
    ]
    for (const made of rejections) {
      const challenge = (made as { headers: Record<string, string> }).headers['www-authenticate']!
      expect(challenge.split(`resource_metadata="${url}"`).length).toBe(2)
    }
  })
})
