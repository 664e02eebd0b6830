import { CompactEncrypt, CompactSign, exportSPKI, importJWK } from 'jose'
import { accessTokenClaims, mintAccessToken, signText, type MintOptions } from './mint.js'
import { signingKey, type SigningKey } from './signing-key.js'

interface Forge {
  readonly issuer: string
  readonly key: SigningKey
  readonly options: MintOptions
}

type Recipe = (forge: Forge) => string | Promise<string>

const day = 86_400
const withClaims =
  (claims: Readonly<Record<string, unknown>>): Recipe =>
  ({ issuer, key, options }) =>
    mintAccessToken(issuer, key, { ...options, claims: { ...options.claims, ...claims } })

const withHeader =
  (header: Readonly<Record<string, unknown>>): Recipe =>
  ({ issuer, key, options }) =>
    mintAccessToken(issuer, key, { ...options, header: { ...options.header, ...header } })

const now = () => Math.floor(Date.now() / 1000)
const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')

const recipes = {
  malformed: () => 'not-a-jwt',
  'four-parts': async (forge) => `${await withClaims({})(forge)}.x`,
  'five-parts': fivePartToken,
  huge: (forge) => withClaims({ padding: 'x'.repeat(20_000) })(forge),
  'huge-header': withHeader({ padding: 'x'.repeat(2_048) }),
  'long-kid': withHeader({ kid: 'k'.repeat(257) }),
  'header-not-json': async (forge) => {
    const [, payload = '', signature = ''] = (await withClaims({})(forge)).split('.')
    return [Buffer.from('{"alg":').toString('base64url'), payload, signature].join('.')
  },
  'claims-not-an-object': ({ key }) => signText(key, '["at+jwt"]'),
  'duplicate-claim': ({ issuer, key, options }) =>
    signText(
      key,
      JSON.stringify(accessTokenClaims(issuer, options)).replace('{', '{"aud":"https://other.example",'),
    ),
  'duplicate-header': duplicateHeaderToken,
  'alg-none': async (forge) => {
    const [, payload = ''] = (await withClaims({})(forge)).split('.')
    return `${encode({ alg: 'none', typ: 'at+jwt' })}.${payload}.`
  },
  'alg-none-signed': async (forge) => {
    const [, payload = '', signature = ''] = (await withClaims({})(forge)).split('.')
    return `${encode({ alg: 'none', typ: 'at+jwt', kid: forge.key.kid })}.${payload}.${signature}`
  },
  'hs256-public-key': hmacToken,
  'embedded-jwk': embeddedKeyToken,
  'wrong-key': async ({ issuer, key, options }) =>
    mintAccessToken(issuer, await signingKey(key.kid), options),
  'unknown-kid': withHeader({ kid: 'no-such-key' }),
  'changed-claims': async (forge) => {
    const [header = '', , signature = ''] = (await withClaims({})(forge)).split('.')
    const claims = accessTokenClaims(forge.issuer, { ...forge.options, subject: 'mallory' })
    return [header, encode(claims), signature].join('.')
  },
  'critical-extension': ({ key, issuer, options }) =>
    new CompactSign(new TextEncoder().encode(JSON.stringify(accessTokenClaims(issuer, options))))
      .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', kid: key.kid, crit: ['x-test'], 'x-test': 1 })
      .sign(key.privateKey, { crit: { 'x-test': true } }),
  'id-token': withHeader({ typ: 'JWT' }),
  'id-jag': withHeader({ typ: 'oauth-id-jag+jwt' }),
  'no-typ': withHeader({ typ: undefined }),
  'wrong-issuer': withClaims({ iss: 'https://other.example' }),
  'issuer-slash': (forge) => withClaims({ iss: `${forge.issuer}/` })(forge),
  'issuer-list': (forge) => withClaims({ iss: [forge.issuer] })(forge),
  'wrong-audience': withClaims({ aud: 'https://other.example/mcp' }),
  'no-audience': withClaims({ aud: undefined }),
  'empty-audience': withClaims({ aud: [] }),
  'nested-audience': (forge) => withClaims({ aud: [[forge.options.resource].flat()] })(forge),
  expired: (forge) => withClaims({ iat: now() - 2 * 3600, exp: now() - 3600 })(forge),
  'no-exp': withClaims({ exp: undefined }),
  'exp-string': (forge) => withClaims({ exp: String(now() + 300) })(forge),
  'exp-absurd': withClaims({ exp: 1e300 }),
  'lifetime-too-long': (forge) => withClaims({ exp: now() + 2 * day })(forge),
  'future-nbf': (forge) => withClaims({ nbf: now() + 3600 })(forge),
  'future-iat': (forge) => withClaims({ iat: now() + 3600, exp: now() + 7200 })(forge),
  'no-iat': withClaims({ iat: undefined }),
  'no-sub': withClaims({ sub: undefined }),
  'empty-sub': withClaims({ sub: '' }),
  'no-jti': withClaims({ jti: undefined }),
  'no-client-id': withClaims({ client_id: undefined }),
  'scope-number': withClaims({ scope: 7 }),
  'scope-double-space': withClaims({ scope: 'a  b' }),
  cnf: withClaims({ cnf: { jkt: 'NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs' } }),
} satisfies Record<string, Recipe>

/** The ways in which `mintBad` can spoil a token. */
export type BadTokenKind = keyof typeof recipes

/** All ways to spoil a token, for tables of tests: a resource server must refuse each with 401. */
export const badTokenKinds: readonly BadTokenKind[] = Object.freeze(Object.keys(recipes) as BadTokenKind[])

/** Mints a token that is as `options` say except for one defect. */
export async function mintBadToken(
  issuer: string,
  key: SigningKey,
  kind: BadTokenKind,
  options: MintOptions,
): Promise<string> {
  const recipe: Recipe = recipes[kind]
  return recipe({ issuer, key, options })
}

async function fivePartToken({ issuer, key, options }: Forge): Promise<string> {
  const recipient = await importJWK({ ...key.publicJwk, use: 'enc', alg: 'ECDH-ES' }, 'ECDH-ES')
  return new CompactEncrypt(new TextEncoder().encode(JSON.stringify(accessTokenClaims(issuer, options))))
    .setProtectedHeader({ alg: 'ECDH-ES', enc: 'A128GCM', typ: 'at+jwt', kid: key.kid })
    .encrypt(recipient)
}

/** Signed with HMAC over the text of the published key (CVE-2023-48223). */
async function hmacToken({ issuer, key, options }: Forge): Promise<string> {
  const published = await importJWK(key.publicJwk, 'ES256', { extractable: true })
  if (published instanceof Uint8Array) throw new TypeError('The key is not a public one')
  return new CompactSign(new TextEncoder().encode(JSON.stringify(accessTokenClaims(issuer, options))))
    .setProtectedHeader({ alg: 'HS256', typ: 'at+jwt', kid: key.kid })
    .sign(new TextEncoder().encode(await exportSPKI(published)))
}

async function embeddedKeyToken({ issuer, options }: Forge): Promise<string> {
  const own = await signingKey('embedded')
  const jwk = { kty: own.publicJwk.kty, crv: own.publicJwk.crv, x: own.publicJwk.x, y: own.publicJwk.y }
  return mintAccessToken(issuer, own, { ...options, header: { jwk, jku: 'https://other.example/jwks' } })
}

async function duplicateHeaderToken({ issuer, key, options }: Forge): Promise<string> {
  const header = `{"typ":"JWT","alg":"ES256","typ":"at+jwt","kid":${JSON.stringify(key.kid)}}`
  const input = `${Buffer.from(header).toString('base64url')}.${encode(accessTokenClaims(issuer, options))}`
  const signature = await crypto.subtle.sign(
    { name: 'ECDSA', hash: 'SHA-256' },
    key.privateKey,
    new TextEncoder().encode(input),
  )
  return `${input}.${Buffer.from(signature).toString('base64url')}`
}
