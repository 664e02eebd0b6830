import { describe, expect, it } from 'vitest'
import { setClock } from './fixture.js'
import { publishedKeySet, type LoadedKeys } from '../../src/resource-server/jwt/key-set.js'
import { signingKey } from '../../src/testing/signing-key.js'

describe('publishedKeySet', () => {
  it('looks again without reading when the set was replaced during the look-up', async () => {
    const [first, second] = [await signingKey('first'), await signingKey('second')]
    const answers: ((loaded: LoadedKeys) => void)[] = []
    const keys = publishedKeySet(() => new Promise((resolve) => answers.push(resolve)), setClock(), 0)
    const header = (kid: string) => ({ alg: 'ES256', kid })
    const initial = keys.find(header('first'))
    answers[0]?.({ ok: true, keys: [first.publicJwk] })
    expect(await initial).toMatchObject({ outcome: 'found', generation: 1 })

    const searching = keys.find(header('second'))
    while (answers.length < 2) await Promise.resolve()
    answers[1]?.({ ok: true, keys: [second.publicJwk] })
    const overtaken = keys.find(header('second'))
    expect(await searching).toMatchObject({ outcome: 'found', generation: 2 })
    expect(await overtaken).toMatchObject({ outcome: 'found', generation: 2 })
    expect(answers).toHaveLength(2)
  })
})
