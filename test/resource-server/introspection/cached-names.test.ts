import { createHash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { expect, it, vi } from 'vitest'
import { resource, startAuthorizationServer } from '../fixture.js'
import { introspecting } from './fixture.js'

it('A88 G15 a dump of the cache holds neither a token nor a digest that names it elsewhere', async () => {
  const set = vi.spyOn(LRUCache.prototype, 'set')
  const as = await startAuthorizationServer()
  const token = as.mintOpaque({ resource })
  const servers = [1, 2].map(() => introspecting({ issuer: as.issuer, cache: { maxSeconds: 60 } }))
  for (const server of servers) await server.verify(token)
  const kept = JSON.stringify(set.mock.calls)
  const [first, second] = set.mock.calls.map(([key]) => key as string)
  set.mockRestore()
  expect(first).toMatch(/^[A-Za-z0-9+/]{43}=$/)
  expect(first).not.toBe(second)
  expect(kept).not.toContain(token)
  for (const encoding of ['hex', 'base64', 'base64url'] as const)
    expect(kept).not.toContain(createHash('sha256').update(token).digest(encoding))
})
