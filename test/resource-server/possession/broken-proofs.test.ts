import { createHmac, generateKeyPairSync, sign as signBytes } from 'node:crypto'
import { CompactSign, exportJWK, generateKeyPair } from 'jose'
import { describe, expect, it } from 'vitest'
import { memoryReplayStore, type ReplayStore } from '../../../src/resource-server/index.js'
import { dpopKey } from '../../../src/testing/index.js'
import { resource } from '../fixture.js'
import { dpopChallenge, dpopGuard, told } from './fixture.js'

interface World extends Awaited<ReturnType<typeof dpopGuard>> {
  readonly token: string
}

type Recipe = (world: World) => Promise<string | readonly string[]> | string | readonly string[]

const encode = (value: unknown) =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url')
const seconds = ({ clock }: World) => Math.floor(clock.now() / 1000)
const claims =
  (change: Record<string, unknown>): Recipe =>
  ({ proof, token }) =>
    proof(token, { claims: change })
const header =
  (change: Record<string, unknown>): Recipe =>
  ({ proof, token }) =>
    proof(token, { header: change })

/** Signs whatever text with a fresh key that the token need not be bound to, since reading comes first. */
const raw =
  (headerText: (jwk: object) => string, payload: (world: World) => string): Recipe =>
  async (world) => {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const text = `${encode(headerText(publicKey.export({ format: 'jwk' })))}.${encode(payload(world))}`
    const signature = signBytes('sha256', Buffer.from(text), { key: privateKey, dsaEncoding: 'ieee-p1363' })
    return `${text}.${signature.toString('base64url')}`
  }
const goodHeader = (jwk: object) => JSON.stringify({ typ: 'dpop+jwt', alg: 'ES256', jwk })
const url = (htu: unknown) => claims({ htu })

/** A proof with the private members of its own key in the header. */
const privateKeyProof =
  (...names: readonly string[]): Recipe =>
  async ({ token, proof, key }) => {
    const { privateKey } = await generateKeyPair('ES256', { extractable: true })
    const { d } = await exportJWK(privateKey)
    return proof(token, {
      header: { jwk: { ...key.publicJwk, ...Object.fromEntries(names.map((n) => [n, d])) } },
    })
  }

const parts = async ({ proof, token }: World) => (await proof(token)).split('.') as [string, string, string]

const broken: Record<string, [defect: string, recipe: Recipe]> = {
  'no DPoP header': ['count', () => []],
  'two DPoP headers': ['count', async ({ proof, token }) => [await proof(token), await proof(token)]],
  'the same header twice': [
    'count',
    async ({ proof, token }) => Array(2).fill(await proof(token)) as string[],
  ],
  'an empty header': ['malformed', () => ''],
  'two proofs in one line': [
    'malformed',
    async ({ proof, token }) => `${await proof(token)}, ${await proof(token)}`,
  ],
  'a space in front': ['malformed', async ({ proof, token }) => ` ${await proof(token)}`],
  'text that is no JWT': ['malformed', () => 'proof'],
  'two parts': ['malformed', async (world) => (await parts(world)).slice(0, 2).join('.')],
  'four parts': ['malformed', async (world) => [...(await parts(world)), 'x'].join('.')],
  'no signature': ['malformed', async (world) => [...(await parts(world)).slice(0, 2), ''].join('.')],
  'padding in base64url': ['malformed', async (world) => `${(await parts(world)).join('.')}=`],
  'more than 8 KiB': ['malformed', claims({ padding: 'x'.repeat(8_192) })],
  'a header of more than 2 KiB': ['malformed', header({ padding: 'x'.repeat(2_048) })],
  'a header that is no JSON': [
    'malformed',
    raw(
      () => '{',
      () => '{}',
    ),
  ],
  'a header that is a list': [
    'malformed',
    raw(
      () => '[]',
      () => '{}',
    ),
  ],
  'a member twice in the header': [
    'malformed',
    raw(
      (jwk) => goodHeader(jwk).replace('{', '{"typ":"dpop+jwt",'),
      () => '{}',
    ),
  ],
  'a member twice in the key': [
    'malformed',
    raw(
      (jwk) => goodHeader(jwk).replace('"kty"', '"kty":"EC","kty"'),
      () => '{}',
    ),
  ],
  'a claim twice': ['malformed', raw(goodHeader, () => '{"htm":"GET","htm":"POST"}')],
  'claims that are text': ['malformed', raw(goodHeader, () => '"POST"')],
  'claims that are no UTF-8': ['malformed', async (world) => [(await parts(world))[0], '_w', 'AA'].join('.')],
  'a critical extension': [
    'malformed',
    async ({ token, key, clock }) => {
      const { privateKey } = await generateKeyPair('ES256')
      return new CompactSign(Buffer.from(JSON.stringify({ ath: token, iat: clock.now() })))
        .setProtectedHeader({ alg: 'ES256', typ: 'dpop+jwt', jwk: key.publicJwk, crit: ['x'], x: 1 })
        .sign(privateKey, { crit: { x: true } })
    },
  ],
  'an unencoded payload': [
    'malformed',
    raw(
      (jwk) => JSON.stringify({ ...JSON.parse(goodHeader(jwk)), b64: false }),
      () => '{}',
    ),
  ],
  'no type': ['type', header({ typ: undefined })],
  'the type of an access token': ['type', header({ typ: 'at+jwt' })],
  'the type JWT': ['type', header({ typ: 'JWT' })],
  'a type that is no text': ['type', header({ typ: ['dpop+jwt'] })],
  'no algorithm': [
    'algorithm',
    raw(
      (jwk) => JSON.stringify({ typ: 'dpop+jwt', jwk }),
      () => '{}',
    ),
  ],
  'the algorithm none': [
    'algorithm',
    raw(
      (jwk) => JSON.stringify({ typ: 'dpop+jwt', alg: 'none', jwk }),
      () => '{}',
    ),
  ],
  'an HMAC over the public key': [
    'algorithm',
    ({ key }) => {
      const text = `${encode({ typ: 'dpop+jwt', alg: 'HS256', jwk: key.publicJwk })}.${encode({})}`
      return `${text}.${createHmac('sha256', JSON.stringify(key.publicJwk)).update(text).digest('base64url')}`
    },
  ],
  'an algorithm that is not on the list': [
    'algorithm',
    async ({ proof, token }) => proof(token, {}, await dpopKey('ES512')),
  ],
  'no key': ['key', header({ jwk: undefined })],
  'a key that is text': ['key', header({ jwk: 'key' })],
  'a key that is null': ['key', header({ jwk: null })],
  'a symmetric key': ['key', header({ jwk: { kty: 'oct', k: 'AAAA' } })],
  'a key of an inherited kind': ['key', header({ jwk: { kty: 'constructor' } })],
  'a private key': ['key', privateKeyProof('d')],
  'a private key of another kind': ['key', privateKeyProof('priv')],
  'primes in the key': ['key', privateKeyProof('p', 'q')],
  'half a key': [
    'key',
    ({ proof, token, key }) => proof(token, { header: { jwk: { ...key.publicJwk, y: undefined } } }),
  ],
  'a key with a number': [
    'key',
    ({ proof, token, key }) => proof(token, { header: { jwk: { ...key.publicJwk, y: 7 } } }),
  ],
  'no method': ['method', claims({ htm: undefined })],
  'another method': ['method', claims({ htm: 'GET' })],
  'the method in small letters': ['method', claims({ htm: 'post' })],
  'methods in a list': ['method', claims({ htm: ['POST'] })],
  'no URL': ['url', url(undefined)],
  'a URL in a list': ['url', url([resource])],
  'the URL of another host': ['url', url('https://evil.example/mcp')],
  'the URL of another path': ['url', url('https://api.example.com/mcp2')],
  'a slash at the end': ['url', url(`${resource}/`)],
  'another letter case in the path': ['url', url('https://api.example.com/MCP')],
  'the path alone': ['url', url('/mcp')],
  'http instead of https': ['url', url('http://api.example.com/mcp')],
  'another port': ['url', url('https://api.example.com:8443/mcp')],
  'a user in the URL': ['url', url('https://user@api.example.com/mcp')],
  'a line break in the URL': ['url', url('https://api.example.com/\nmcp')],
  'a backslash in the URL': ['url', url('https://api.example.com\\mcp')],
  'no time': ['time', claims({ iat: undefined })],
  'a time that is text': ['time', (world) => claims({ iat: String(seconds(world)) })(world)],
  'a proof older than 60 s': ['time', (world) => claims({ iat: world.clock.now() / 1000 - 60.001 })(world)],
  'a proof over 5 s in the future': [
    'time',
    (world) => claims({ iat: world.clock.now() / 1000 + 5.001 })(world),
  ],
  'an absurd time': ['time', claims({ iat: 1e300 })],
  'no id': ['id', claims({ jti: undefined })],
  'an empty id': ['id', claims({ jti: '' })],
  'an id that is a number': ['id', claims({ jti: 7 })],
  'an id of 257 characters': ['id', claims({ jti: 'x'.repeat(257) })],
  'no hash of the token (G10)': ['token', claims({ ath: undefined })],
  'the hash of another token': ['token', ({ proof }) => proof('another')],
  'the token itself as hash': ['token', (world) => claims({ ath: world.token })(world)],
  'a changed claim': [
    'signature',
    async (world) => {
      const [head, body, signature] = await parts(world)
      const changed = { ...JSON.parse(Buffer.from(body, 'base64url').toString()), jti: 'changed' }
      return [head, encode(changed), signature].join('.')
    },
  ],
  'the signature of another key': [
    'signature',
    async ({ proof, token, key }) => proof(token, { header: { jwk: key.publicJwk } }, await dpopKey()),
  ],
  'half a signature': ['signature', async (world) => (await parts(world)).join('.').slice(0, -43)],
  'an algorithm of another curve': [
    'signature',
    async (world) => {
      const [head, body, signature] = await parts(world)
      const changed = { ...JSON.parse(Buffer.from(head, 'base64url').toString()), alg: 'ES384' }
      return [encode(changed), body, signature].join('.')
    },
  ],
}

/** A world whose replay store tells what was added. */
async function newWorld() {
  const store = memoryReplayStore()
  const added: string[] = []
  const replay: ReplayStore = {
    add: (key, lifetimeSeconds) => {
      added.push(key)
      return store.add(key, lifetimeSeconds)
    },
  }
  const made = await dpopGuard({ replay })
  return { ...made, added, token: await made.mintBound() }
}

describe('A61 G10 broken proofs for a good token', () => {
  it.each(Object.entries(broken))('%s', async (_, [defect, recipe]) => {
    const world = await newWorld()
    const { present, token, added } = world
    const lines = [await recipe(world)].flat()
    expect(told(await present(`DPoP ${token}`, ...lines))).toEqual([
      401,
      `proof-${defect}`,
      dpopChallenge('invalid_dpop_proof'),
    ])
    expect(added).toEqual([])
  })

  it('a proof by another key is a wrong token and leaves no trace in the replay store', async () => {
    const { present, token, proof, added } = await newWorld()
    const other = await proof(token, {}, await dpopKey())
    expect(told(await present(`DPoP ${token}`, other))).toEqual([
      401,
      'proof',
      dpopChallenge('invalid_token'),
    ])
    expect(added).toEqual([])
  })

  it('A62 refuses a short RSA key even when the token is bound to it', async () => {
    const world = await newWorld()
    const { present, mintBound, clock } = world
    const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 1024 })
    const { n, e } = publicKey.export({ format: 'jwk' })
    const jwk = { kty: 'RSA', n: n!, e: e! }
    const { calculateJwkThumbprint } = await import('jose')
    const token = await mintBound({ claims: { cnf: { jkt: await calculateJwkThumbprint(jwk) } } })
    const good = await world.proof(token)
    const body = {
      ...JSON.parse(Buffer.from(good.split('.')[1]!, 'base64url').toString()),
      iat: clock.now() / 1000,
    }
    const text = `${encode({ typ: 'dpop+jwt', alg: 'RS256', jwk })}.${encode(body)}`
    const signature = signBytes('sha256', Buffer.from(text), privateKey).toString('base64url')
    expect(told(await present(`DPoP ${token}`, `${text}.${signature}`))).toEqual([
      401,
      'proof-signature',
      dpopChallenge('invalid_dpop_proof'),
    ])
  })

  it.each([
    ['exactly 60 s old', (world: World) => ({ iat: world.clock.now() / 1000 - 60 })],
    ['5 s in the future', (world: World) => ({ iat: world.clock.now() / 1000 + 5 })],
    ['with an id of 256 characters', () => ({ jti: 'x'.repeat(256) })],
    ['with a query and a fragment in the URL', () => ({ htu: `${resource}?a=1#b` })],
    ['with the default port', () => ({ htu: 'https://api.example.com:443/mcp' })],
    ['with unknown claims', () => ({ aud: 'x', exp: 1 })],
  ])('a proof %s is good', async (_, change) => {
    const world = await newWorld()
    const { present, token, proof } = world
    expect(told(await present(`DPoP ${token}`, await proof(token, { claims: change(world) })))).toBe('alice')
  })

  it('the type is a media type and further members of the key do not matter', async () => {
    const { present, token, proof, key } = await newWorld()
    const change = {
      typ: 'application/DPoP+JWT',
      jwk: { ...key.publicJwk, kid: 'mine', use: 'sig', alg: 'ES256' },
    }
    expect(told(await present(`DPoP ${token}`, await proof(token, { header: change })))).toBe('alice')
  })
})
