import { inspect } from 'node:util'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { ReceivedChallenge } from '../../../src/oauth/received-challenge.js'
import { DiscoveryError } from '../../../src/transports/errors.js'
import { resourcePath, rootPath, twoHosts, type Page, type TwoHosts } from './two-hosts.js'

let world: TwoHosts
beforeEach(async () => {
  world = await twoHosts()
})
afterEach(() => world.close())

const challenge = (resourceMetadata?: string): ReceivedChallenge => ({
  scheme: 'bearer',
  ...(resourceMetadata !== undefined && { resourceMetadata }),
})

async function failure(
  discovering: Promise<unknown>,
): Promise<Error & { code: string; retryAfterSeconds?: number }> {
  const error = await discovering.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  expect(error).toBeInstanceOf(Error)
  expect(inspect(error, { depth: 9 })).not.toContain('canary')
  return error as Error & { code: string }
}

describe('B30 where the metadata of a resource is', () => {
  test('F6 F7 at the path of the endpoint, before the root', async () => {
    await expect(world.discover()).resolves.toMatchObject({ resource: world.endpoint })
    expect(world.resource.asked).toEqual([resourcePath])
  })

  test('F7 at the root when the path has none', async () => {
    world.resource.pages.delete(resourcePath)
    world.resource.pages.set(rootPath, { ...world.resourceDocument, resource: world.resource.origin })
    await expect(world.discover()).resolves.toMatchObject({ resource: world.resource.origin })
    expect(world.resource.asked).toEqual([resourcePath, rootPath])
  })

  test('where the challenge says, and nowhere else', async () => {
    world.resource.pages.set('/elsewhere.json', world.resourceDocument)
    const named = challenge(`${world.resource.origin}/elsewhere.json`)
    await expect(world.discover({ challenge: named })).resolves.toMatchObject({ resource: world.endpoint })
    expect(world.resource.asked).toEqual(['/elsewhere.json'])
  })

  test('B25 a challenge without an address leads to the well-known places', async () => {
    await expect(world.discover({ challenge: challenge() })).resolves.toMatchObject({
      resource: world.endpoint,
    })
    expect(world.resource.asked).toEqual([resourcePath])
  })

  test('what the challenge names and is not there is an error, without another try', async () => {
    const named = challenge(`${world.resource.origin}/gone`)
    expect((await failure(world.discover({ challenge: named }))).code).toBe('ERR_DISCOVERY')
    expect(world.resource.asked).toEqual(['/gone'])
  })

  test('the query of the endpoint stays on the inserted form', async () => {
    const endpoint = `${world.endpoint}?tenant=a%20b`
    world.resource.pages.set(`${resourcePath}?tenant=a%20b`, {
      ...world.resourceDocument,
      resource: endpoint,
    })
    await expect(world.discover({ endpoint })).resolves.toMatchObject({ resource: endpoint })
  })

  test('B4 nothing anywhere and no challenge: the server is open', async () => {
    world.resource.pages.clear()
    await expect(world.discover()).resolves.toBe('open')
    expect(world.login.asked).toEqual([])
  })

  test('B25 nothing anywhere but a challenge is an error', async () => {
    world.resource.pages.clear()
    expect((await failure(world.discover({ challenge: challenge() }))).code).toBe('ERR_DISCOVERY')
  })

  test.each<[string, Page, string]>([
    ['401', { status: 401 }, 'ERR_DISCOVERY'],
    ['403', { status: 403 }, 'ERR_DISCOVERY'],
    ['405', { status: 405 }, 'ERR_DISCOVERY'],
    ['a redirect', { status: 302, headers: { location: '/canary' } }, 'ERR_DISCOVERY'],
    ['204', { status: 204 }, 'ERR_DISCOVERY'],
    ['500', { status: 500, text: 'canary' }, 'ERR_AUTHORIZATION_UNAVAILABLE'],
    ['429', { status: 429, text: 'canary' }, 'ERR_AUTHORIZATION_UNAVAILABLE'],
    [
      'a page',
      { status: 200, headers: { 'content-type': 'text/html' }, text: '<html>canary' },
      'ERR_DISCOVERY',
    ],
    ['JSON without its type', { status: 200, text: '{"canary":1}' }, 'ERR_DISCOVERY'],
    [
      'broken JSON',
      { status: 200, headers: { 'content-type': 'application/json' }, text: '{"canary":' },
      'ERR_DISCOVERY',
    ],
    [
      'an array',
      { status: 200, headers: { 'content-type': 'application/json' }, text: '["canary"]' },
      'ERR_DISCOVERY',
    ],
    [
      'a member given twice',
      { status: 200, headers: { 'content-type': 'application/json' }, text: '{"a":1,"a":"canary"}' },
      'ERR_DISCOVERY',
    ],
    [
      '__proto__',
      { status: 200, headers: { 'content-type': 'application/json' }, text: '{"__proto__":{"canary":1}}' },
      'ERR_DISCOVERY',
    ],
    [
      'deep nesting',
      { status: 200, headers: { 'content-type': 'application/json' }, text: '['.repeat(60_000) },
      'ERR_DISCOVERY',
    ],
    [
      'more than 64 KiB',
      {
        status: 200,
        headers: { 'content-type': 'application/json' },
        text: JSON.stringify({ canary: 'x'.repeat(65_536) }),
      },
      'ERR_DISCOVERY',
    ],
  ])('B30 B36 B89 G52 %s stops, and nothing of it is told', async (_name, page, code) => {
    world.resource.pages.set(resourcePath, page)
    world.resource.pages.set(rootPath, { ...world.resourceDocument, resource: world.resource.origin })
    const error = await failure(world.discover())
    expect(error.code).toBe(code)
    expect(error.message).toContain(new URL(world.endpoint).host)
    expect(world.resource.asked).toEqual([resourcePath])
    expect(world.login.asked).toEqual([])
  })

  test('B9 a busy resource says when to come back', async () => {
    world.resource.pages.set(resourcePath, { status: 503, headers: { 'retry-after': '7' } })
    expect(await failure(world.discover())).toMatchObject({ retryAfterSeconds: 7 })
  })

  test.each<[401 | 403 | 405 | 410 | 'not-json', Page]>([
    [401, { status: 401 }],
    [403, { status: 403 }],
    [405, { status: 405 }],
    [410, { status: 410 }],
    ['not-json', { status: 200, headers: { 'content-type': 'text/html' }, text: '<html>' }],
  ])('B30 with advanceOn, %s goes on', async (reason, page) => {
    world.resource.pages.set(resourcePath, page)
    world.resource.pages.set(rootPath, { ...world.resourceDocument, resource: world.resource.origin })
    await expect(world.discover({ advanceOn: [reason] })).resolves.toMatchObject({
      resource: world.resource.origin,
    })
  })
})

describe('B24 the address a challenge names', () => {
  test.each([
    'ftp://x/',
    'not a URL',
    '',
    '/relative',
    'javascript:canary',
    'http://canary.example/',
    'https://user:canary@127.0.0.1/',
    'https://127.0.0.1/#canary',
    'https://canary.example/metadata',
    'http://10.0.0.1/canary',
  ])('%j is not asked', async (address) => {
    const error = await failure(world.discover({ challenge: challenge(address) }))
    expect(error).toBeInstanceOf(DiscoveryError)
    expect(world.resource.asked).toEqual([])
  })

  test('F39 another origin, where allowed, still goes through the guard', async () => {
    for (const address of [
      'https://127.0.0.1:1/',
      'https://169.254.169.254/',
      'https://[::ffff:10.0.0.1]/',
    ]) {
      const request = { challenge: challenge(address), allowCrossOriginMetadata: true }
      expect((await failure(world.discover(request))).message).toContain('may be reached')
    }
  })
})

describe('B32 B33 what a resource calls itself', () => {
  const variants = (origin: string): [string, string | undefined, boolean][] => [
    [`${origin}/mcp`, undefined, true],
    [`${origin.replace('http:', 'HTTP:')}/mcp`, undefined, true],
    [`${origin}/mcp/`, undefined, false],
    [`${origin}/MCP`, undefined, false],
    [`${origin}/mcp?x=1`, undefined, false],
    [`${origin}/%6dcp`, undefined, false],
    [`${origin}/other`, undefined, false],
    [origin, undefined, false],
    [`${origin}/`, undefined, false],
    ['https://evil.example.com/mcp', undefined, false],
    ['', undefined, false],
    ['mcp', undefined, false],
    [origin, rootPath, true],
    [`${origin}/`, rootPath, true],
    [`${origin}/mcp`, rootPath, true],
    [`${origin}/other`, rootPath, false],
    ['https://evil.example.com', rootPath, false],
  ]

  test.each(variants('$ORIGIN').map(([name, path], index) => [name, path ?? 'its path', index] as const))(
    'F8 F9 F12 G40 %s at %s: accepted as it is, or nothing is authorised',
    async (_name, _path, index) => {
      const [resource, path = resourcePath, isRight] = variants(world.resource.origin)[index]!
      world.resource.pages.delete(resourcePath)
      world.resource.pages.set(path, { ...world.resourceDocument, resource })
      if (isRight) {
        await expect(world.discover()).resolves.toMatchObject({ resource })
      } else {
        expect((await failure(world.discover())).code).toBe('ERR_DISCOVERY')
        expect(world.login.asked).toEqual([])
      }
    },
  )

  test.each<[string, object]>([
    ['no resource', { resource: undefined }],
    ['null for a resource', { resource: null }],
    ['a list for a resource', { resource: ['canary'] }],
    ['no authorization server', { authorization_servers: [] }],
    ['null for authorization servers', { authorization_servers: null }],
    ['a number among authorization servers', { authorization_servers: [1] }],
    ['scopes that are none', { scopes_supported: ['canary canary'] }],
    ['scopes as text', { scopes_supported: 'canary' }],
    ['null for scopes', { scopes_supported: null }],
    ['B37 no bearer token in the header', { bearer_methods_supported: ['body'] }],
  ])('B36 G64 %s stops', async (_name, members) => {
    world.resource.pages.set(resourcePath, { ...world.resourceDocument, ...members })
    expect((await failure(world.discover())).code).toBe('ERR_DISCOVERY')
  })

  test('B36 members nobody knows are ignored', async () => {
    world.resource.pages.set(resourcePath, {
      ...world.resourceDocument,
      toString: 1,
      constructor: null,
      more: [{}],
    })
    await expect(world.discover()).resolves.toMatchObject({ scopesSupported: ['notes:read', 'notes:write'] })
  })
})

describe('B31 what is remembered', () => {
  test('the metadata of a resource for a while, and not after a challenge', async () => {
    await world.discover()
    await world.discover()
    expect(world.resource.asked).toHaveLength(1)
    await world.discover({ challenge: challenge() })
    await world.discover({ isFresh: true })
    expect(world.resource.asked).toHaveLength(3)
    expect(world.login.asked).toHaveLength(1)
  })

  test('a resource that becomes open is forgotten', async () => {
    await world.discover()
    world.resource.pages.clear()
    await expect(world.discover({ isFresh: true })).resolves.toBe('open')
    await expect(world.discover()).resolves.toBe('open')
  })

  test('a signal ends it with its own reason', async () => {
    const reason = new Error('enough')
    await expect(world.discover({ signal: AbortSignal.abort(reason) })).rejects.toBe(reason)
  })
})
