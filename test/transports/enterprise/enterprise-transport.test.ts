import { memoryAuthorizationStore } from 'castellan/store'
import { publicClient, secretBasic, type ClientTransport } from 'castellan/transports'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { basic, whoami, writing } from '../../fastify/guarded.js'
import { atProvider, atServer, enterprise, over, type Enterprise } from './signed-on.js'

let world: Enterprise
beforeEach(async () => {
  world = await enterprise()
})
afterEach(() => world.stop())

const ask = (made: ClientTransport) => over(made).call(whoami.definition, {})
const parametersAt = (side: 'idp' | 'as') => world[side].received.map(({ parameters }) => parameters)
const tokenType = (kind: string) => `urn:ietf:params:oauth:token-type:${kind}`

describe('a user who signed in at the identity provider', () => {
  test('C25 C29 C30 calls as that user by ID token, and each client shows itself at its own server only', async () => {
    expect(await ask(world.transport())).toEqual({ subject: 'alice', scopes: ['mcp'] })
    expect(parametersAt('idp')).toEqual([
      {
        grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
        requested_token_type: tokenType('id-jag'),
        audience: world.as.issuer,
        resource: world.server.endpoint,
        scope: 'mcp',
        subject_token: expect.any(String) as string,
        subject_token_type: tokenType('id_token'),
      },
    ])
    expect(parametersAt('as')).toEqual([
      {
        grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer',
        assertion: expect.any(String) as string,
        resource: world.server.endpoint,
        scope: 'mcp',
      },
    ])
  })

  test('C24 by SAML trades the assertion once, and a restarted host needs no other', async () => {
    const store = memoryAuthorizationStore()
    const assertions: string[] = []
    const source = async () => {
      const assertion = await world.idp.signOn({ clientId: atProvider.clientId, as: 'saml2' })
      assertions.push(assertion)
      return assertion
    }
    const make = () => world.transport({ store, identity: world.identity('saml2', { source }) })
    expect(await ask(make())).toMatchObject({ subject: 'alice' })
    expect(parametersAt('idp')[0]).toMatchObject({
      requested_token_type: tokenType('refresh_token'),
      subject_token_type: tokenType('saml2'),
      subject_token: assertions[0],
      scope: 'openid offline_access',
    })
    for (const { token } of world.server.seen) if (token !== undefined) world.server.refused.add(token)
    expect(await ask(make())).toMatchObject({ subject: 'alice' })
    expect(assertions).toHaveLength(1)
    const shown = parametersAt('idp').slice(1)
    expect(shown.map((each) => each['subject_token_type'])).toEqual(
      Array.from({ length: 2 }, () => tokenType('refresh_token')),
    )
    expect(new Set(shown.map((each) => each['subject_token'])).size).toBe(2)
  })

  test('B115 by refresh token is followed through every rotation, and none is shown twice', async () => {
    const made = world.transport({ identity: world.identity('refresh_token') })
    for (let round = 0; round < 3; round++) {
      expect(await ask(made)).toMatchObject({ subject: 'alice' })
      for (const { token } of world.server.seen) if (token !== undefined) world.server.refused.add(token)
    }
    const shown = parametersAt('idp').map((each) => each['subject_token'])
    expect(shown).toHaveLength(3)
    expect(new Set(shown).size).toBe(3)
  })

  test('C35 B116 D5 a hundred calls, and other processes, need one exchange', async () => {
    const store = memoryAuthorizationStore()
    const all = Array.from({ length: 4 }, () => world.transport({ store }))
    await Promise.all(all.flatMap((made) => Array.from({ length: 25 }, () => ask(made))))
    expect(world.legs()).toEqual(['exchange', 'redeem'])
  })

  test('C34 C35 two servers of one provider share the identity and not the grant, without waiting for each other for ever', async () => {
    const other = await enterprise({ identityProviders: [world.idp.issuer] })
    const store = memoryAuthorizationStore()
    const identity = world.identity('refresh_token')
    const registration = secretBasic({ ...atServer, issuer: other.as.issuer, allowLoopbackHttp: true })
    const second = { store, identity, endpoint: other.server.endpoint, registration }
    const pairs = Array.from({ length: 5 }, () => [
      world.transport({ store, identity }),
      world.transport(second),
    ])
    await Promise.all(pairs.flat().map(ask))
    const audiences = parametersAt('idp').map((each) => each['audience'])
    expect([...audiences].sort()).toEqual([world.as.issuer, other.as.issuer].sort())
    await other.stop()
  })

  test('C21 in a store that holds the identity of another user sends nothing', async () => {
    const store = memoryAuthorizationStore()
    await ask(world.transport({ store }))
    const before = world.legs().length
    const source = () => world.idp.signOn({ clientId: atProvider.clientId, subject: 'mallory' })
    const identity = world.identity('id_token', { subject: 'mallory', source })
    await expect(ask(world.transport({ store, identity }))).rejects.toMatchObject({
      code: 'ERR_STORE_CORRUPT',
    })
    expect(world.legs()).toHaveLength(before)
  })

  test('C21 whose host hands over the ID token of another user is told to sign in, and it is not sent', async () => {
    const source = () => world.idp.signOn({ clientId: atProvider.clientId, subject: 'mallory' })
    const made = world.transport({ identity: world.identity('id_token', { source }) })
    await expect(ask(made)).rejects.toMatchObject({ code: 'ERR_IDENTITY_REQUIRED' })
    expect(world.legs()).toEqual([])
  })
})

describe('what is refused stays refused', () => {
  test.each(['invalid_grant', 'invalid_request', 'insufficient_user_authentication'])(
    'C31 %s at the provider means that the user has to sign in again',
    async (error) => {
      world.idp.alter('sign-on-exchange', { error })
      await expect(ask(world.transport())).rejects.toMatchObject({ code: 'ERR_IDENTITY_REQUIRED' })
      expect(world.legs()).toEqual(['exchange'])
    },
  )

  test.each(['access_denied', 'invalid_target', 'unauthorized_client', 'invalid_scope'])(
    'C31 C32 G62 %s at the provider is its policy: one request, and no other grant',
    async (error) => {
      world.idp.alter('sign-on-exchange', { error })
      await expect(ask(world.transport())).rejects.toMatchObject({
        code: 'ERR_TOKEN_ENDPOINT',
        oauthCode: error,
      })
      expect(world.legs()).toEqual(['exchange'])
      expect(world.as.requests).toMatchObject({ token: 0, authorization: 0 })
    },
  )

  test.each(['invalid_grant', 'insufficient_user_authentication', 'unauthorized_client'])(
    'C31 C32 %s at the authorization server mints no second ID-JAG in the same round',
    async (error) => {
      world.as.alter('redemption', { error })
      await expect(ask(world.transport())).rejects.toMatchObject({
        code: 'ERR_TOKEN_ENDPOINT',
        oauthCode: error,
      })
      expect(world.legs()).toEqual(['exchange', 'redeem'])
    },
  )

  test.each([
    ['C36 G62 for another audience', { claims: { aud: 'https://other.example.com' } }],
    ['F44 for another client', { claims: { client_id: 'host-at-idp' } }],
    ['F43 without a resource', { claims: { resource: undefined } }],
    ['C36 for another resource', { claims: { resource: 'https://other.example.com/mcp' } }],
    ['C36 of another type', { header: { typ: 'JWT' } }],
    ['C36 that has expired', { claims: { exp: 1 } }],
    ['C36 that lives too long', { claims: { exp: Math.floor(Date.now() / 1000) + 3600 } }],
    ['C36 of another issuer', { claims: { iss: 'https://idp.example.com' } }],
  ])('%s: an ID-JAG is refused, and the call with it', async (_, altered) => {
    world.idp.alter('sign-on-exchange', altered)
    await expect(ask(world.transport())).rejects.toMatchObject({ oauthCode: 'invalid_grant' })
    expect(world.legs()).toEqual(['exchange', 'redeem'])
  })

  test('C36 G62 an ID-JAG serves once', async () => {
    await ask(world.transport())
    const { assertion = '' } = parametersAt('as')[0] ?? {}
    const basicAuth = Buffer.from(`${atServer.clientId}:${atServer.clientSecret}`).toString('base64')
    const answer = await fetch(world.as.tokenEndpoint, {
      method: 'POST',
      headers: { authorization: `Basic ${basicAuth}` },
      body: new URLSearchParams({ grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer', assertion }),
    })
    expect(await answer.json()).toEqual({ error: 'invalid_grant' })
  })

  test.each([
    ['another issued type', { issued_token_type: tokenType('access_token') }],
    ['no issued type', { issued_token_type: undefined }],
    ['no token', { access_token: undefined }],
    ['a token that is no text', { access_token: 7 }],
  ])('C27 an answer of the provider with %s is redeemed nowhere', async (_, answer) => {
    world.idp.alter('sign-on-exchange', { answer })
    await expect(ask(world.transport())).rejects.toMatchObject({ code: 'ERR_AUTHORIZATION_UNAVAILABLE' })
    expect(world.legs()).toEqual(['exchange'])
  })

  test.each(['N_A', 'n_a', 'Bearer', undefined])(
    'C27 token_type %s says nothing of an ID-JAG',
    async (type) => {
      world.idp.alter('sign-on-exchange', { answer: { token_type: type } })
      expect(await ask(world.transport())).toMatchObject({ subject: 'alice' })
    },
  )
})

describe('scopes', () => {
  test('C33 a tool that needs more is called after one more exchange for the union', async () => {
    const made = world.transport()
    await ask(made)
    expect(await over(made).call(writing.definition, {})).toMatchObject([{ text: 'written' }])
    expect(parametersAt('idp').map((each) => each['scope'])).toEqual(['mcp', 'mcp notes:read notes:write'])
    expect(world.legs()).toHaveLength(4)
    expect(await over(made).call(basic.definition, {})).toMatchObject([{ text: 'basic' }])
    expect(world.legs()).toHaveLength(4)
  })

  test('C27 C33 what the provider narrows is asked for at the server no wider, told once, and not asked for again', async () => {
    world.idp.alter('sign-on-exchange', { scopes: ['mcp', 'notes:read'] })
    const made = world.transport()
    for (let call = 0; call < 3; call++) {
      await expect(over(made).call(writing.definition, {})).rejects.toMatchObject({
        code: 'ERR_INSUFFICIENT_SCOPE',
        required: ['notes:read', 'notes:write'],
      })
    }
    expect(parametersAt('as').map((each) => each['scope'])).toEqual(['mcp', 'mcp notes:read'])
    expect((await made.fetch(world.server.endpoint, callOf('writing'))).status).toBe(403)
    expect(await ask(made)).toMatchObject({ scopes: ['mcp', 'notes:read'] })
  })

  test('C33 B7 a refused token is replaced once per call', async () => {
    const made = world.transport()
    await ask(made)
    world.server.refused.add('*')
    await expect(ask(made)).rejects.toMatchObject({ code: 'ERR_INVALID_TOKEN' })
    expect(world.legs()).toHaveLength(4)
  })

  test('C22 named scopes are asked for first', async () => {
    expect(await ask(world.transport({ scopes: ['notes:read'] }))).toMatchObject({ scopes: ['notes:read'] })
  })
})

const callOf = (name: string): RequestInit => ({
  method: 'POST',
  headers: {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': 'tools/call',
    'mcp-name': name,
  },
  body: JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: {
      name,
      arguments: {},
      _meta: {
        'io.modelcontextprotocol/protocolVersion': '2026-07-28',
        'io.modelcontextprotocol/clientCapabilities': {},
      },
    },
  }),
})

test('C26 F43 `resource` is left out at a provider that refuses it, and the server may take that', async () => {
  await world.stop()
  world = await enterprise({ idJagResource: 'optional' })
  const registration = secretBasic({
    ...atProvider,
    issuer: world.idp.issuer,
    allowLoopbackHttp: true,
    quirks: { resourceParameter: 'omit' },
  })
  const made = world.transport({ identity: world.identity('id_token', { registration }) })
  expect(await ask(made)).toMatchObject({ subject: 'alice' })
  expect(parametersAt('idp')[0]).not.toHaveProperty('resource')
  expect(parametersAt('as')[0]).toMatchObject({ resource: world.server.endpoint })
})

describe('C22 C23 servers that say they do not offer it are sent nothing', () => {
  test.each(['as', 'idp'] as const)('%s', async (side) => {
    const { testAuthorizationServer } = await import('castellan/testing')
    const metadata =
      side === 'as'
        ? { authorization_grant_profiles_supported: ['other'] }
        : { identity_chaining_requested_token_types_supported: ['other'] }
    const silent = await testAuthorizationServer({
      clients: [atServer, atProvider],
      metadata,
      assertions: { identityProviders: [world.idp.issuer] },
    })
    const loopback = { issuer: silent.issuer, allowLoopbackHttp: true }
    const own = await enterprise()
    const made =
      side === 'idp'
        ? own.transport({
            identity: own.identity('id_token', { registration: secretBasic({ ...atProvider, ...loopback }) }),
          })
        : undefined
    if (made !== undefined) await expect(ask(made)).rejects.toMatchObject({ code: 'ERR_DISCOVERY' })
    else {
      const { protectedServer } = await import('../protected-server.js')
      const server = await protectedServer({ issuer: silent.issuer })
      const registration = secretBasic({ ...atServer, ...loopback })
      const wrong = world.transport({ endpoint: server.endpoint, registration })
      await expect(ask(wrong)).rejects.toMatchObject({ code: 'ERR_DISCOVERY' })
      await server.stop()
    }
    expect(silent.requests.token).toBe(0)
    await own.stop()
    await silent.close()
  })
})

describe('options are checked at once', () => {
  test.each<[string, object]>([
    ['endpoint', { endpoint: 'http://api.example.com/mcp' }],
    ['registration', { registration: undefined }],
    ['registration', { registration: [] }],
    ['identity', { identity: undefined }],
    ['identity', { identity: { kind: 'password' } }],
    ['scopes', { scopes: ['a b'] }],
    ['store', { store: undefined }],
  ])('%s: %j', (name, options) => {
    expect(() => world.transport(options)).toThrow(`\`${name}\``)
  })

  test.each<[string, object]>([
    ['registration', { registration: publicClient({ issuer: 'https://idp.example.com', clientId: 'app' }) }],
    ['registration', { registration: undefined }],
    ['subject', { subject: '' }],
    ['source', { source: 'token' }],
  ])('C25 identity.%s', (name, changes) => {
    expect(() => world.identity('id_token', changes)).toThrow(
      expect.objectContaining({
        code: 'ERR_OPTION',
        message: expect.stringContaining(`\`${name}\``) as string,
      }),
    )
  })
})
