/* eslint-disable @typescript-eslint/no-unused-vars, @typescript-eslint/no-unnecessary-type-parameters -- values are there for their types */
/** Compiled, never run: claims are typed by their schema, and mistakes must not compile. */
import { definePrompt, defineResource, defineTool, type Principal } from 'castellan'
import mcp, { handle, handleFor } from 'castellan/fastify'
import { entra, jwtResourceServer, type ResourceServer } from 'castellan/resource-server'
import Fastify from 'fastify'
import { z } from 'zod'

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
declare function same<A, B>(proof: Same<A, B>): void

const resource = 'https://api.example.com/mcp'
const plain = jwtResourceServer({ resource, issuer: 'https://login.example.com' })
same<typeof plain, ResourceServer>(true)

const auth = jwtResourceServer({
  resource,
  ...entra({ tenant: 'aaaaaaaa-0000-4000-8000-000000000001', audiences: ['api://notes'] }),
  claims: z.object({ tid: z.string(), seats: z.string().transform(Number) }),
})
same<typeof auth, ResourceServer<{ tid: string; seats: number }>>(true)
const untyped: ResourceServer = auth
same<typeof untyped.resource, string>(true)

const typed = handleFor(auth)
const tool = defineTool({ name: 'tool', description: 'Declares no scopes', output: z.string() })
typed(tool, (_input, { principal }) => {
  same<typeof principal, Principal<{ tid: string; seats: number }>>(true)
  same<typeof principal.claims.tid, string>(true)
  same<typeof principal.claims.seats, number>(true)
  const other = principal.claims['other']
  same<typeof other, unknown>(true)
  return principal.claims.tid
})
// @ts-expect-error a claim of another type
typed(tool, (_input, { principal }) => principal.claims.seats)
// @ts-expect-error a wrong result is found as with handle
typed(tool, () => 7)
handle(tool, (_input, { principal }) => {
  same<typeof principal, Principal | undefined>(true)
  return ''
})
typed(
  defineResource({ uri: 'notes://readme', name: 'readme' }),
  (_input, { principal }) => principal.claims.tid,
)
typed(
  definePrompt({ name: 'prompt', arguments: z.object({ topic: z.string() }) }),
  ({ topic }, { principal }) => topic + principal.claims.tid,
  { complete: { topic: (_value, { principal }) => [principal.claims.tid] } },
)
void Fastify().register(mcp, { path: '/mcp', name: 'x', version: '1', auth, tools: [typed(tool, () => '')] })
// @ts-expect-error a value that is no schema
jwtResourceServer({ resource, issuer: 'https://login.example.com', claims: { tid: 'string' } })
