import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { grantKey, recordKey, type GrantBinding } from '../../../src/transports/grant/grant-binding.js'
import {
  readGrant,
  usableGrant,
  writeGrant,
  type GrantRecord,
} from '../../../src/transports/grant/grant-record.js'

const binding: GrantBinding = {
  kind: 'enterprise',
  issuer: 'https://login.example.com',
  clientId: 'job',
  method: 'client_secret_basic',
  identity: ['https://idp.example.com', 'alice'],
  endpoint: 'https://api.example.com/mcp',
}
const ready = {
  type: 'ready',
  issuanceId: 'i1',
  accessToken: 'canary-token',
  tokenType: 'Bearer',
  refreshToken: 'canary-refresh',
  obtainedAt: 1,
  expiresAt: 2,
  granted: ['a'],
} as const
const record: GrantRecord = { binding, requested: ['a', 'b'], state: ready }

describe('the key of a grant', () => {
  const parts = fc.array(fc.string({ maxLength: 6 }), { maxLength: 6 })

  test('B110 is the same for the same parts only', () => {
    fc.assert(
      fc.property(parts, parts, (one, other) => {
        const same = one.length === other.length && one.every((part, index) => part === other[index])
        expect(recordKey(one) === recordKey(other)).toBe(same)
        expect(recordKey(one)).toMatch(/^[0-9a-f]{64}$/)
      }),
    )
    expect(recordKey(['ab', 'c'])).not.toBe(recordKey(['a', 'bc']))
  })

  test.each<Partial<GrantBinding>>([
    { kind: 'client_credentials' },
    { issuer: 'https://login.example.com/' },
    { clientId: 'Job' },
    { method: 'client_secret_post' },
    { identity: ['https://idp.example.com', 'bob'] },
    { identity: ['https://idp.example.com'] },
    { endpoint: 'https://api.example.com/mcp/' },
  ])('B110 B111 F9 F45 another %j is another grant, and its record is refused', (other) => {
    expect(grantKey({ ...binding, ...other })).not.toBe(grantKey(binding))
    expect(() => readGrant(writeGrant(record), { ...binding, ...other })).toThrow(
      expect.objectContaining({ code: 'ERR_STORE_CORRUPT' }),
    )
  })
})

describe('a stored grant', () => {
  const pending = { type: 'pending', uses: 'refresh_token', startedAt: 3 } as const
  const consent = { id: 'c', url: 'https://h/a', redirectUri: 'https://h/r', scopes: ['a'], expiresAt: 4 }

  test.each<Partial<GrantRecord>>([
    { state: ready },
    { state: pending },
    { state: { ...pending, uses: 'code', previous: ready } },
    { consent },
    { state: ready, consent, refused: { scopes: ['b'], until: 5 } },
  ])('B112 is read as it was written: %#', (parts) => {
    const written = { binding, requested: ['a'], ...parts }
    expect(readGrant(writeGrant(written), binding)).toEqual({ v: 1, ...written })
  })

  test('B113 of a lost exchange only what was not used up can be used', () => {
    expect(usableGrant({ ...record, state: pending })).toBeUndefined()
    expect(usableGrant({ ...record, state: { ...pending, previous: ready } })).toBe(ready)
    expect(usableGrant({ binding, requested: [], consent })).toBeUndefined()
    expect(usableGrant(undefined)).toBeUndefined()
  })

  const text = Buffer.from(writeGrant(record)).toString()
  test.each([
    ['nothing', ''],
    ['no JSON', text.slice(0, -1)],
    ['a list', `[${text}]`],
    ['another version', text.replace('"v":1', '"v":2')],
    ['a member twice', text.replace('{"v":1', '{"v":1,"v":1')],
    ['an unknown member', text.replace('{"v":1', '{"v":1,"more":1')],
    ['an unknown member inside', text.replace('"type":"ready"', '"type":"ready","more":1')],
    ['an unknown state', text.replace('"type":"ready"', '"type":"other"')],
    ['no token', text.replace('"accessToken":"canary-token",', '')],
    ['a token that is no text', text.replace('"canary-token"', '1')],
    ['a wrong instant', text.replace('"obtainedAt":1', '"obtainedAt":-1')],
    ['a prototype', text.replace('{"v":1', '{"__proto__":{},"v":1')],
  ])('B111 D24 G60 with %s is corrupt, never absent, and not quoted', (_, damaged) => {
    expect(damaged).not.toBe(text)
    let error: unknown
    try {
      readGrant(Buffer.from(damaged), binding)
    } catch (thrown) {
      error = thrown
    }
    expect(error).toMatchObject({ code: 'ERR_STORE_CORRUPT' })
    expect(`${String(error)}${JSON.stringify(error)}`).not.toContain('canary')
  })

  test('B111 any other bytes are corrupt', () => {
    fc.assert(
      fc.property(fc.uint8Array(), (bytes) => {
        expect(() => readGrant(bytes, binding)).toThrow(
          expect.objectContaining({ code: 'ERR_STORE_CORRUPT' }),
        )
      }),
    )
  })
})
