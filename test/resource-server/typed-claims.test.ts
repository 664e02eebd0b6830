import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import * as mini from 'zod/mini'
import type { ClaimsSchema } from '../../src/resource-server/index.js'
import type { MintOptions } from '../../src/testing/index.js'
import { outcome, resource, resourceServerAt, setClock, startAuthorizationServer } from './fixture.js'

async function scene(claims: ClaimsSchema<any>) {
  const as = await startAuthorizationServer()
  const server = resourceServerAt(setClock(), { issuer: as.issuer, claims })
  const verify = async (wanted: Partial<MintOptions>) => server.verify(await as.mint({ resource, ...wanted }))
  const read = async (given: Record<string, unknown>) => {
    const verification = await verify({ claims: given })
    return verification.outcome === 'accepted' ? verification.principal.claims : outcome(verification)
  }
  return { as, server, read }
}

describe('typed claims', () => {
  it('are parsed with defaults and transforms, and all others stay', async () => {
    const { read } = await scene(
      z.object({
        tenant: z.string(),
        plan: z.enum(['free', 'paid']).default('free'),
        groups: z.string().transform((list) => list.split(' ')),
      }),
    )
    expect(await read({ tenant: 'blue', groups: 'a b', other: { x: 1 } })).toMatchObject({
      tenant: 'blue',
      plan: 'free',
      groups: ['a', 'b'],
      other: { x: 1 },
      sub: 'alice',
    })
  })

  it.each([
    ['a claim that is missing', {}],
    ['a wrong type', { tenant: 7 }],
    ['null', { tenant: null }],
    ['a value outside', { tenant: 'x'.repeat(65) }],
  ])('refuse %s', async (_, claims) => {
    const { read } = await scene(z.object({ tenant: z.string().max(64) }))
    expect(await read(claims)).toBe('claims')
  })

  it('may be of zod/mini', async () => {
    const { read } = await scene(mini.object({ tenant: mini.string() }))
    expect(await read({ tenant: 'blue' })).toMatchObject({ tenant: 'blue' })
    expect(await read({})).toBe('claims')
  })

  it.each<[string, ClaimsSchema<any>]>([
    ['throws', z.object({ tenant: z.string().transform(() => JSON.parse('{') as string) })],
    ['is asynchronous', z.object({ tenant: z.string().refine(async () => true) })],
    ['gives no object', z.object({}).transform(() => 'text')],
    ['gives null', z.object({}).transform(() => null)],
  ])('A51 refuse when the schema %s', async (_, schema) => {
    const { read } = await scene(schema)
    expect(await read({ tenant: 'blue' })).toBe('claims')
  })

  it('never see a token that is not good', async () => {
    const seen: unknown[] = []
    const { as, server, read } = await scene(z.looseObject({}).refine((claims) => seen.push(claims)))
    expect(await outcome(server.verify(await as.mintBad('wrong-key', { resource })))).toBe('signature')
    expect(await outcome(server.verify(await as.mintBad('changed-claims', { resource })))).toBe('signature')
    expect(seen).toEqual([])
    await read({})
    expect(seen).toHaveLength(1)
  })

  it('are parsed once for a token', async () => {
    let parsed = 0
    const { as, server } = await scene(z.looseObject({}).refine(() => (parsed += 1)))
    const token = await as.mint({ resource })
    const first = await server.verify(token)
    expect(server.verify(token)).toBe(first)
    expect(parsed).toBe(1)
  })

  it('A100 never change who is asking', async () => {
    const { as, server } = await scene(
      z.object({ sub: z.string().transform(() => 'mallory'), iss: z.any().transform(() => 'x') }),
    )
    expect(await server.verify(await as.mint({ resource }))).toMatchObject({
      principal: { issuer: as.issuer, subject: 'alice', claims: { sub: 'mallory' } },
    })
  })

  it('A100 are frozen, but for instances of classes, which are the host’s', async () => {
    class Tenant {
      seen = 0
    }
    const shared = new Tenant()
    const { read } = await scene(
      z.object({
        tenant: z.string().transform(() => shared),
        key: z.string().transform(() => new Uint8Array([1])),
        groups: z.array(z.object({ id: z.string() })),
      }),
    )
    const claims = (await read({ tenant: 'a', key: 'k', groups: [{ id: 'g' }] })) as Record<string, any>
    expect(Object.isFrozen(claims) && Object.isFrozen(claims['groups'][0])).toBe(true)
    expect(claims['tenant']).toBe(shared)
    expect(Object.isFrozen(shared)).toBe(false)
  })
})
