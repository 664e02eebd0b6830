import {
  badTokenKinds,
  type DpopKey,
  type MintOptions,
  type TestAuthorizationServer,
} from 'castellan/testing'
import { resource } from '../guarded.js'
import type { Facts } from './expected.js'
import type { Form, Presented } from './requests.js'

/** Who makes the tokens, in which form, and whose keys prove possession. */
export interface Maker {
  readonly as: TestAuthorizationServer
  readonly isOpaque: boolean
  readonly key: DpopKey
  readonly otherKey: DpopKey
}

/** Credentials of one kind: what is true of them, and how they are made for a request. */
export interface Credentials {
  readonly name: string
  readonly facts: Facts
  /** Once for all requests; undefined where there is no such thing. */
  mint(maker: Maker): Promise<string>
  present(token: string, maker: Maker, form: Form): Presented | Promise<Presented>
}

const scopes = ['mcp']
const bound = ({ key }: Maker) => ({ cnf: { jkt: key.jkt } })

async function mintGood(maker: Maker, options: Partial<MintOptions> = {}): Promise<string> {
  const all = { resource, scopes, ...options }
  return maker.isOpaque ? maker.as.mintOpaque(all) : maker.as.mint(all)
}

const bearer = (token: string): Presented => ({ authorization: [`Bearer ${token}`] })

function alone(name: string, facts: Facts, present: (token: string) => Presented): Credentials {
  return { name, facts, mint: (maker) => mintGood(maker), present: (token) => present(token) }
}

const broken = { grammar: 'broken' } as const
const written = (name: string, facts: Facts, authorization: (token: string) => string) =>
  alone(name, facts, (token) => ({ authorization: [authorization(token)] }))

/** What can be wrong with the lines themselves, and what is right. */
const lines: readonly Credentials[] = [
  alone('A15 no credentials', { lines: 0 }, () => ({})),
  written('A15 B075 another scheme', { scheme: 'other' }, () => 'Basic YWxpY2U6c2VjcmV0'),
  written('A15 a scheme that only begins like it', { scheme: 'other' }, (token) => `Bearerx ${token}`),
  written('A15 an empty line', { scheme: 'other' }, () => ''),
  written('A16 B076 a scheme without a token', broken, () => 'Bearer'),
  written('A16 two tokens in one line', broken, (token) => `Bearer ${token} ${token}`),
  written('A16 G17 a comma-joined line', broken, (token) => `Bearer ${token}, Bearer ${token}`),
  written('A16 G17 a tab before the token', broken, (token) => `Bearer \t${token}`),
  written('A16 a quoted token', broken, (token) => `Bearer "${token}"`),
  written('A16 letters of no token', broken, () => 'Bearer \u00e9'),
  written('A16 a token longer than 16 KiB', broken, () => `Bearer ${'a'.repeat(16_385)}`),
  written('A23 B076 a good token, oddly spelled', {}, (token) => `bEaReR   ${token}`),
  alone('a good token', {}, bearer),
  alone('A14 two lines of a good token', { lines: 2 }, (token) => ({
    authorization: [`Bearer ${token}`, `Bearer ${token}`],
  })),
  ...['access_token=', '%61ccess_token=', 'a=1&access%5Ftoken='].map((query) => ({
    ...alone(`A13 G17 ${query} beside a good token`, { query: 'token' }, bearer),
    present: (token: string, _maker: Maker, { place }: Form) => ({
      ...bearer(token),
      query: query + (place === 'mcp' ? token : 'x'),
    }),
  })),
  alone('A13 a query nobody can decode', { query: 'undecodable' }, (token) => ({
    ...bearer(token),
    query: 'x=%zz',
  })),
  {
    ...alone('A20 missing scopes', { lacksScopes: true }, bearer),
    mint: (maker) => mintGood(maker, { scopes: ['other'] }),
  },
]

const proofFor = ({ method, path }: Form, token: string) => ({
  method,
  url: `https://api.example.com${path}`,
  token,
})

type Proofs = (token: string, maker: Maker, form: Form) => Promise<readonly string[]>
const right: Proofs = async (token, { key }, form) => [await key.proof(proofFor(form, token))]
const noProof: Proofs = async () => []

function withProof(
  name: string,
  facts: Facts,
  proofs: Proofs,
  options: (maker: Maker) => Partial<MintOptions> = (maker) => ({ claims: bound(maker) }),
): Credentials {
  const { scheme = 'DPoP' } = facts
  return {
    name,
    facts: { scheme, isBound: true, ...facts },
    mint: (maker) => mintGood(maker, options(maker)),
    present: async (token, maker, form) => ({
      authorization: [`${scheme} ${token}`],
      proofs: await proofs(token, maker, form),
    }),
  }
}

const bad =
  (change: (form: Form, token: string) => object): Proofs =>
  async (token, { key }, form) => [await key.proof({ ...proofFor(form, token), ...change(form, token) })]

/** Tokens that are bound to a key, and proofs. */
const possession: readonly Credentials[] = [
  withProof('A61 a bound token with its proof', { proof: 'right' }, right),
  withProof(
    'A61 A20 a bound token that lacks scopes',
    { proof: 'right', lacksScopes: true },
    right,
    (maker) => ({
      ...{ claims: bound(maker), scopes: ['other'] },
    }),
  ),
  withProof('A61 G10 a bound token as Bearer', { scheme: 'Bearer' }, noProof),
  withProof('A61 G10 a bound token as Bearer with its proof', { scheme: 'Bearer', proof: 'right' }, right),
  withProof('A61 G10 a bound token without a proof', {}, noProof),
  withProof('A61 a bound token with two proofs', { proof: 'wrong' }, async (...given) => [
    ...(await right(...given)),
    ...(await right(...given)),
  ]),
  withProof('A61 a proof of another key', { proof: 'foreign' }, async (token, { otherKey }, form) => [
    await otherKey.proof(proofFor(form, token)),
  ]),
  withProof(
    'G10 a proof for another URL',
    { proof: 'wrong' },
    bad(() => ({ url: 'https://api.example.com/x' })),
  ),
  withProof(
    'G10 a proof for another method',
    { proof: 'wrong' },
    bad(() => ({ method: 'BREW' })),
  ),
  withProof(
    'G10 a proof without ath',
    { proof: 'wrong' },
    bad(() => ({ claims: { ath: undefined } })),
  ),
  withProof(
    'A61 an old proof',
    { proof: 'wrong' },
    bad(() => ({ claims: { iat: 1_700_000_000 } })),
  ),
  withProof(
    'A61 a token bound to nothing, with a proof',
    { isBound: false, proof: 'right' },
    right,
    () => ({}),
  ),
  withProof(
    'A61 an expired bound token with its proof',
    { token: 'bad', proof: 'right' },
    right,
    (maker) => ({
      ...{ claims: bound(maker), issuedAt: Math.floor(Date.now() / 1000) - 7200 },
    }),
  ),
  withProof('A61 a bound token for another resource', { token: 'bad', proof: 'right' }, right, (maker) => ({
    ...{ claims: bound(maker), resource: 'https://api.example.com/mcp2' },
  })),
]

/** Signed tokens with one defect each. */
const badSigned: readonly Credentials[] = badTokenKinds.map((kind) => ({
  name: `A17 B074 B077 B085 a token with the defect ${kind}`,
  facts: kind === 'huge' ? broken : ({ token: 'bad' } as const),
  mint: ({ as }) => as.mintBad(kind, { resource, scopes }),
  present: bearer,
}))

const now = () => Math.floor(Date.now() / 1000)
const badAnswers: readonly (readonly [string, () => Partial<MintOptions>])[] = [
  ['expired', () => ({ issuedAt: now() - 7200 })],
  ['future nbf', () => ({ claims: { nbf: now() + 3600 } })],
  ['future iat', () => ({ claims: { iat: now() + 3600 } })],
  ['exp that is a text', () => ({ claims: { exp: String(now() + 300) } })],
  ['another audience', () => ({ resource: 'https://other.example/mcp' })],
  ['an audience that is longer', () => ({ resource: `${resource}2` })],
  ['a list in a list as audience', () => ({ claims: { aud: [[resource]] } })],
  ['no audience', () => ({ claims: { aud: undefined } })],
  ['another issuer', () => ({ claims: { iss: 'https://other.example' } })],
  ['an issuer with a slash', () => ({ claims: { iss: 'https://other.example/' } })],
  ['no subject', () => ({ claims: { sub: undefined } })],
  ['scopes that are a number', () => ({ claims: { scope: 7 } })],
  ['a key nobody can name', () => ({ claims: { cnf: { kid: 'x' } } })],
]

/** Opaque tokens whose introspection answer has one defect each, and ones nobody has minted. */
const badOpaque: readonly Credentials[] = [
  ...badAnswers.map(([name, options]) => ({
    name: `A85 G14 an opaque token of ${name}`,
    facts: { token: 'bad' } as const,
    mint: async ({ as }: Maker) => as.mintOpaque({ resource, scopes, ...options() }),
    present: bearer,
  })),
  {
    name: 'A84 an opaque token that was revoked',
    facts: { token: 'bad' },
    async mint({ as }) {
      const token = as.mintOpaque({ resource, scopes })
      as.revoke(token)
      return token
    },
    present: bearer,
  },
]

/** All credentials of one form. */
export function credentialsOf({ isOpaque }: Pick<Maker, 'isOpaque'>): readonly Credentials[] {
  return [...lines, ...possession, ...(isOpaque ? badOpaque : badSigned)]
}

/** What is decided without anybody's word on the token, and what is not. */
export function credentialsForOutages(): readonly Credentials[] {
  return lines.map((one) => ({ ...one, facts: { ...one.facts, isOutage: true } }))
}
