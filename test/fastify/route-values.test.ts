import Fastify from 'fastify'
import { defineTool, definePrompt, defineResource } from 'castellan'
import mcp, { handle } from 'castellan/fastify'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import type { AddressInfo } from 'node:net'
import { modern, post } from '../wire.js'

let ran = 0
const seen = (route: unknown) => {
  ran++
  return JSON.stringify(route)
}

const plain = handle(
  defineTool({
    name: 'plain',
    description: 'Shows the route',
    input: z.object({ organization: z.string() }),
  }),
  ({ organization }, { route }) => `${organization} ${seen(route)}`,
)

const refined = handle(
  defineTool({
    name: 'refined',
    description: 'Has its own view of the route',
    route: z.object({
      organization: z
        .string()
        .regex(/^org-\d+$/)
        .transform((text) => Number(text.slice(4))),
    }),
  }),
  (_input, { route }) => seen(route.organization + 1),
)

const prompt = handle(
  definePrompt({ name: 'prompt', route: z.object({ organization: z.enum(['org-1']) }) }),
  (_input, { route }) => seen(route),
)

const resource = handle(
  defineResource({ uri: 'org://about', name: 'about', route: z.object({ organization: z.enum(['org-1']) }) }),
  (_input, { route }) => seen(route),
)

const app = Fastify()
let base: string
beforeAll(async () => {
  await app.register(
    async (api) => {
      await api.register(mcp, {
        path: '/organizations/:organization/mcp',
        route: z.object({ organization: z.string().min(3) }),
        name: 'routed',
        version: '1',
        auth: 'none',
        tools: [plain, refined],
        prompts: [prompt],
        resources: [resource],
      })
    },
    { prefix: '/v1' },
  )
  await app.listen({ port: 0, host: '127.0.0.1' })
  base = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}/v1/organizations`
})
afterAll(() => app.close())

const call = (organization: string, name: string, args: object = {}) =>
  post(`${base}/${organization}/mcp`, modern('tools/call', { name, arguments: args }))

describe('values in the URL', () => {
  test('G-37 G-38 stand in ctx.route and never mix with arguments', async () => {
    const { json } = await call('org-1', 'plain', { organization: 'an argument' })
    expect(json.result.content[0].text).toBe('an argument {"organization":"org-1"}')
    const missing = await call('org-1', 'plain')
    expect(missing.json.result.isError).toBe(true)
    const { tools } = (await post(`${base}/org-1/mcp`, modern('tools/list'))).json.result
    expect(tools[1].inputSchema).toEqual({ type: 'object', additionalProperties: false })
  })

  test('G-54 arrive decoded', async () => {
    const { json } = await call('bl%2Fue%20sky', 'plain', { organization: '' })
    expect(json.result.content[0].text).toContain('{"organization":"bl/ue sky"}')
  })

  test('G-39 a definition refines them for itself', async () => {
    expect((await call('org-41', 'refined')).json.result.content[0].text).toBe('42')
  })

  test('G-40 invalid ones are refused before any handler, as -32602 on HTTP 400', async () => {
    const before = ran
    const read = modern('resources/read', { uri: 'org://about' })
    const answers = await Promise.all([
      call('x', 'plain', { organization: 'a' }),
      call('other', 'refined'),
      post(`${base}/x/mcp`, modern('tools/list')),
      post(`${base}/other/mcp`, modern('prompts/get', { name: 'prompt' })),
      post(`${base}/other/mcp`, read),
    ])
    for (const { status, json } of answers) {
      expect({ status, code: json.error.code, id: json.id }).toEqual({ status: 400, code: -32602, id: 1 })
    }
    expect(ran).toBe(before)
  })
})

test('a schema that names no value of the path is refused at start', async () => {
  const other = Fastify()
  const options = { name: 'x', version: '1', auth: 'none', route: z.object({ tenant: z.string() }) } as const
  void other.register(mcp, { path: '/mcp', ...options })
  await expect(other.ready().then(() => 'ready')).rejects.toThrow(/no :tenant/)
})
