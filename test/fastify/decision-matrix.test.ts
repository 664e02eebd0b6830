import { dpopKey, testAuthorizationServer } from 'castellan/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  credentialsForOutages,
  credentialsOf,
  type Credentials,
  type Maker,
} from './decisions/credentials.js'
import { expected, type Taking } from './decisions/expected.js'
import { guardedPlaces, type GuardedPlaces, type Issuers } from './decisions/guarded-places.js'
import { forms, hangUp, send, type Said } from './decisions/requests.js'
import { TokenWatch } from './decisions/token-watch.js'

const verifiers = ['jwt', 'introspection', 'anyOf'] as const
const possessions = ['none', 'dpop', 'dpop only'] as const
const guards: readonly Taking[] = verifiers.flatMap((verifier) =>
  possessions.map((possession) => ({ verifier, possession })),
)
const columns = guards.flatMap((taking) => [true, false].map((isOpaque) => ({ ...taking, isOpaque })))

let makers: { readonly signing: Maker; readonly asked: Maker }
let issuers: Issuers
const watch = new TokenWatch()
beforeAll(async () => {
  const [signing, asked] = await Promise.all([testAuthorizationServer(), testAuthorizationServer()])
  const [key, otherKey] = await Promise.all([dpopKey(), dpopKey()])
  issuers = { signing, asked }
  makers = {
    signing: { as: signing, isOpaque: false, key, otherKey },
    asked: { as: asked, isOpaque: false, key, otherKey },
  }
})
afterAll(async () => {
  hangUp()
  await Promise.all([issuers.signing.close(), issuers.asked.close()])
})

type Column = (typeof columns)[number]

/** Tokens come from whoever the guard knows: `anyOf` has signed ones from one and opaque ones from the other. */
function makerFor({ verifier, isOpaque }: Column): Maker {
  const byAsking = verifier === 'introspection' || (verifier === 'anyOf' && isOpaque)
  return { ...(byAsking ? makers.asked : makers.signing), isOpaque }
}

/** How one guard answers credentials, in each form of request, and how it should. */
async function answers(places: GuardedPlaces, column: Column, { facts, ...credentials }: Credentials) {
  const maker = makerFor(column)
  const token = await credentials.mint(maker)
  watch.hide(token, ...(facts.scheme === 'other' ? ['YWxpY2U6c2VjcmV0'] : []))
  const given: Record<string, Said> = {}
  const right: Record<string, Said> = {}
  for (const form of forms) {
    const presented = await credentials.present(token, maker, form)
    watch.hide(...(presented.proofs ?? []))
    const said = await send(places.ports[form.place], form, presented)
    watch.read(JSON.stringify(said))
    given[form.name] = withoutTime(said)
    const table = expected(column, form, { ...facts, isOpaque: column.isOpaque })
    right[form.name] = form.method === 'HEAD' ? { ...table, body: '' } : table
  }
  return { given, right }
}

function withoutTime({ headers, ...said }: Said): Said {
  const { 'retry-after': retryAfter } = headers
  if (retryAfter === undefined || !/^[1-9]\d?$/.test(retryAfter)) return { ...said, headers }
  return { ...said, headers: { ...headers, 'retry-after': 'seconds' } }
}

describe.each(columns)('A10-A24 $verifier, possession: $possession, opaque tokens: $isOpaque', (column) => {
  let places: GuardedPlaces
  beforeAll(async () => (places = await guardedPlaces(column, issuers, (line) => watch.read(line))))
  afterAll(() => places.close())

  test.each(credentialsOf(column))('$name', async (credentials) => {
    const { given, right } = await answers(places, column, credentials)
    expect(given).toEqual(right)
  })
})

describe('A18 A24 while nobody can tell whether a token is good', () => {
  let ends: (() => void)[] = []
  beforeAll(() => {
    const { signing, asked } = issuers
    ends = [signing.fault('jwks', 'outage'), asked.fault('introspection', 'outage')]
  })
  afterAll(() => ends.forEach((end) => end()))

  test.each(columns)('$verifier, possession: $possession, opaque tokens: $isOpaque', async (column) => {
    const places = await guardedPlaces(column, issuers, (line) => watch.read(line))
    for (const credentials of credentialsForOutages()) {
      const { given, right } = await answers(places, column, credentials)
      expect(given, credentials.name).toEqual(right)
    }
    await places.close()
  })
})

test('G26 A110 F53 B083 no log line, audit event or answer holds a piece of a token, proof or secret', () => {
  watch.hide('test-secret')
  expect(watch.linesRead).toBeGreaterThan(1_000)
  expect(watch.found()).toEqual([])
  watch.hide('insufficient-scope')
  expect(watch.found(), 'a watch that finds what is there').not.toEqual([])
})
