import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { publicClient } from '../../../src/oauth/registration/public.js'
import { secretBasic } from '../../../src/oauth/registration/secret.js'
import { testAuthorizationServer } from '../../../src/testing/authorization-server.js'
import { discoverIssuer } from '../../../src/transports/discovery/discover.js'
import { issuerPath, resourcePath, twoHosts, type Page, type TwoHosts } from './two-hosts.js'

let world: TwoHosts
beforeEach(async () => {
  world = await twoHosts()
})
afterEach(() => world.close())

describe('B40 B50 where the metadata of an issuer is', () => {
  const tenant = [
    '/.well-known/oauth-authorization-server/t',
    '/.well-known/openid-configuration/t',
    '/t/.well-known/openid-configuration',
  ]

  test.each([0, 1, 2])(
    'F4 F5 an issuer with a path: place %i, in order and never the root',
    async (index) => {
      const issuer = `${world.issuer}/t`
      world.login.pages.set(issuerPath, { canary: 'the root' })
      world.login.pages.set(tenant[index]!, { ...world.issuerDocument, issuer })
      world.resource.pages.set(resourcePath, { ...world.resourceDocument, authorization_servers: [issuer] })
      await expect(world.discover({ registrations: world.client({}, issuer) })).resolves.toMatchObject({
        server: { issuer },
      })
      expect(world.login.asked).toEqual(tenant.slice(0, index + 1))
      expect(world.resource.asked).toEqual([resourcePath])
    },
  )

  test('an issuer without a path: OAuth, then OpenID', async () => {
    world.login.pages.clear()
    world.login.pages.set('/.well-known/openid-configuration', world.issuerDocument)
    await expect(world.discover()).resolves.toMatchObject({ server: { issuer: world.issuer } })
  })

  test('nothing there: no endpoint is guessed', async () => {
    world.login.pages.clear()
    expect(await world.code()).toBe('ERR_DISCOVERY')
    expect(world.login.asked).toEqual([issuerPath, '/.well-known/openid-configuration'])
  })

  test.each<[string, Page, string]>([
    ['403', { status: 403 }, 'ERR_DISCOVERY'],
    ['a page', { status: 200, text: '<html>canary' }, 'ERR_DISCOVERY'],
    ['502', { status: 502, text: 'canary' }, 'ERR_AUTHORIZATION_UNAVAILABLE'],
  ])('%s stops', async (_name, page, expected) => {
    world.login.pages.set(issuerPath, page)
    world.login.pages.set('/.well-known/openid-configuration', world.issuerDocument)
    expect(await world.code()).toBe(expected)
    expect(world.login.asked).toEqual([issuerPath])
  })

  test('advanceOn of the registration goes on', async () => {
    world.login.pages.set(issuerPath, { status: 403 })
    world.login.pages.set('/.well-known/openid-configuration', world.issuerDocument)
    expect(await world.code({ registrations: world.client({ advanceOn: [403] }) })).toBe('none')
  })

  test('B49 it is remembered, and can be forgotten', async () => {
    await world.discover()
    await world.discover({ isFresh: true })
    expect(world.login.asked).toHaveLength(1)
    world.cache.issuers.delete(world.issuer)
    await world.discover()
    expect(world.login.asked).toHaveLength(2)
  })

  test('an outage is not remembered', async () => {
    const as = await testAuthorizationServer()
    const registration = secretBasic({
      issuer: as.issuer,
      clientId: 'a',
      clientSecret: 's',
      allowLoopbackHttp: true,
    })
    const find = () =>
      discoverIssuer(registration, { needs: 'client_credentials', http: world.http, cache: world.cache })
    for (const fault of ['outage', 'disconnect', 'bad-json', 'redirect', 'huge'] as const) {
      const end = as.fault('metadata', fault)
      const expected = ['outage', 'disconnect'].includes(fault)
        ? 'ERR_AUTHORIZATION_UNAVAILABLE'
        : 'ERR_DISCOVERY'
      await expect(find(), fault).rejects.toMatchObject({ code: expected })
      end()
    }
    await expect(find()).resolves.toMatchObject({ server: { token_endpoint: as.tokenEndpoint } })
    await as.close()
  })
})

describe('B34 B35 B42 which issuer', () => {
  test.each(['$/', '$/t', 'https://evil.example.com', '', null])(
    'F1 F2 G43 a document of issuer %j is not used',
    async (named) => {
      world.say({ issuer: named?.replace('$', world.issuer) ?? null })
      expect(await world.code()).toBe('ERR_DISCOVERY')
    },
  )

  test('F1 an issuer with a slash is one, byte for byte', async () => {
    const issuer = `${world.issuer}/`
    world.resource.pages.set(resourcePath, { ...world.resourceDocument, authorization_servers: [issuer] })
    world.say({ issuer })
    expect(await world.code()).toBe('ERR_REGISTRATION')
    await expect(world.discover({ registrations: world.client({}, issuer) })).resolves.toMatchObject({
      server: { issuer },
    })
  })

  test('B34 an alias is a spelling of the operator, and the metadata still has to name the issuer itself', async () => {
    const alias = `${world.issuer}/`
    world.resource.pages.set(resourcePath, { ...world.resourceDocument, authorization_servers: [alias] })
    await expect(
      world.discover({ registrations: world.client({ issuerAliases: [alias] }) }),
    ).resolves.toMatchObject({
      server: { issuer: world.issuer },
    })
    world.say({ issuer: alias })
    world.cache.issuers.clear()
    expect(await world.code({ registrations: world.client({ issuerAliases: [alias] }) })).toBe(
      'ERR_DISCOVERY',
    )
  })

  test('G41 an attacker named first is passed over', async () => {
    const authorization_servers = ['https://evil.example.com', world.issuer]
    world.resource.pages.set(resourcePath, { ...world.resourceDocument, authorization_servers })
    await expect(world.discover()).resolves.toMatchObject({ server: { issuer: world.issuer } })
  })

  test('B35 several registrations: the first of the operator that is named, and no other after it fails', async () => {
    const other = `${world.issuer}/other`
    const authorization_servers = [world.issuer, other]
    world.resource.pages.set(resourcePath, { ...world.resourceDocument, authorization_servers })
    const registrations = [
      world.client({}, 'https://unnamed.example.com'),
      world.client({}, other),
      world.client(),
    ]
    expect(await world.code({ registrations })).toBe('ERR_DISCOVERY')
    expect(world.login.asked).not.toContain(issuerPath)
  })

  test('B34 B55 nobody named: the error says for whom a registration is missing', async () => {
    const authorization_servers = ['https://login.other.example/t', 'nonsense']
    world.resource.pages.set(resourcePath, { ...world.resourceDocument, authorization_servers })
    await expect(world.discover()).rejects.toMatchObject({
      code: 'ERR_REGISTRATION',
      message: 'There is no registration for login.other.example',
      offered: authorization_servers,
    })
  })

  test('B56 a host that decides is asked for well-formed issuers in order, until it has one', async () => {
    const authorization_servers = [
      'nonsense',
      'https://evil.example.com?x',
      'https://a.example',
      world.issuer,
      'https://z.example',
    ]
    world.resource.pages.set(resourcePath, { ...world.resourceDocument, authorization_servers })
    const asked: string[] = []
    const registrations = (issuer: string) => {
      asked.push(issuer)
      return issuer === world.issuer ? world.client() : undefined
    }
    await expect(world.discover({ registrations })).resolves.toMatchObject({
      server: { issuer: world.issuer },
    })
    expect(asked).toEqual(['https://a.example', world.issuer])
  })

  test('B56 a host that gives a registration of another issuer is refused', async () => {
    expect(await world.code({ registrations: async () => world.client({}, 'https://b.example') })).toBe(
      'ERR_REGISTRATION',
    )
  })

  test.each(['https://169.254.169.254', 'https://[::ffff:a00:1]', 'https://localhost'])(
    'F39 G51 a host that takes any issuer is not led to %s',
    async (issuer) => {
      world.resource.pages.set(resourcePath, { ...world.resourceDocument, authorization_servers: [issuer] })
      const registrations = (named: string) => publicClient({ issuer: named, clientId: 'a' })
      expect(await world.code({ registrations })).toBe('ERR_DISCOVERY')
    },
  )
})
