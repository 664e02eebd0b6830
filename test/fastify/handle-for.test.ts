import { definePrompt, defineResource, defineResourceTemplate, defineTool } from 'castellan'
import mcp, { handle, handleFor, protect, type HandleFor, type McpOptions } from 'castellan/fastify'
import { jwtResourceServer, okta } from 'castellan/resource-server'
import { injectClient, testAuthorizationServer, type TestAuthorizationServer } from 'castellan/testing'
import Fastify from 'fastify'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { resource } from './guarded.js'

let as: TestAuthorizationServer
beforeAll(async () => {
  as = await testAuthorizationServer()
})
afterAll(() => as.close())

const guarding = () =>
  jwtResourceServer({
    resource,
    issuer: as.issuer,
    allowLoopbackHttp: true,
    claims: z.object({ tenant: z.string(), seats: z.string().transform(Number) }),
  })

const tool = defineTool({ name: 'tenant', description: 'Says the tenant', output: z.string() })
const readme = defineResource({ uri: 'notes://readme', name: 'readme' })
const note = defineResourceTemplate({ uriTemplate: 'notes://{id}', name: 'note' })
const prompt = definePrompt({ name: 'prompt', arguments: z.object({ topic: z.string() }) })

async function mounting(auth: McpOptions['auth'], offer: Partial<McpOptions>, messages: string[] = []) {
  const app = Fastify({ logger: { level: 'warn', stream: { write: (line) => void messages.push(line) } } })
  await app.register(mcp, { path: '/mcp', name: 'test', version: '1.0.0', auth, ...offer })
  await app.ready()
  return app
}

const offers: [string, (bind: HandleFor<Record<string, unknown>>) => Partial<McpOptions>][] = [
  ['tool tenant', (bind) => ({ tools: [bind(tool, () => 'x')] })],
  ['resource notes://readme', (bind) => ({ resources: [bind(readme, () => 'x')] })],
  ['resource template notes://{id}', (bind) => ({ resources: [bind(note, () => 'x')] })],
  ['prompt prompt', (bind) => ({ prompts: [bind(prompt, () => 'x')] })],
]

describe('handleFor', () => {
  test('types the claims of tools, resources, prompts and completions, and they are what was parsed', async () => {
    const auth = guarding()
    const bind = handleFor(auth)
    const app = await mounting(auth, {
      tools: [bind(tool, (_input, { principal: { claims } }) => `${claims.tenant} ${claims.seats + 1}`)],
      resources: [
        bind(readme, (_input, { principal }) => principal.claims.tenant),
        bind(note, ({ id }, { principal }) => `${id} of ${principal.claims.tenant}`, {
          complete: { id: (_value, { principal }) => [principal.claims.tenant] },
        }),
      ],
      prompts: [bind(prompt, ({ topic }, { principal }) => `${topic} for ${principal.claims.tenant}`)],
    })
    const token = await as.mint({ resource, claims: { tenant: 'blue', seats: '41' } })
    const client = injectClient(app, { path: '/mcp', headers: { authorization: `Bearer ${token}` } })
    expect(await client.call(tool)).toBe('blue 42')
    expect(JSON.stringify(await client.read(readme))).toContain('"blue"')
    expect(JSON.stringify(await client.read(note, { id: 'n' }))).toContain('n of blue')
    expect(JSON.stringify(await client.prompt(prompt, { topic: 'bees' }))).toContain('bees for blue')
    expect(JSON.stringify(await client.complete(note, 'id', ''))).toContain('blue')
    await client.close()
    await app.close()
    await auth.close()
  })

  test('a token whose claims do not fit is 401', async () => {
    const auth = guarding()
    const app = await mounting(auth, { tools: [] })
    const { statusCode, headers } = await app.inject({
      method: 'POST',
      url: '/mcp',
      headers: {
        authorization: `Bearer ${await as.mint({ resource, claims: { tenant: 7 } })}`,
        'content-type': 'application/json',
      },
      payload: '{}',
    })
    expect(statusCode).toBe(401)
    expect(JSON.stringify(headers['www-authenticate'])).toContain('invalid_token')
    await app.close()
    await auth.close()
  })

  test.each(offers)('%s bound to another resource server fails the start', async (name, offer) => {
    const [own, other] = [guarding(), guarding()]
    for (const auth of [other, 'none'] as const) {
      await expect(mounting(auth, offer(handleFor(own)))).rejects.toMatchObject({
        code: 'ERR_DEFINITION',
        message: `${name} was bound with handleFor() to another resource server`,
      })
    }
    await (await mounting(own, offer(handleFor(own)))).close()
    await Promise.all([own.close(), other.close()])
  })

  test('what handle binds, and static prompts, stand beside it', async () => {
    const auth = guarding()
    const other = handle(defineTool({ name: 'b', description: 'b' }), () => 'b')
    const app = await mounting(auth, {
      tools: [handleFor(auth)(tool, () => 'x'), other],
      prompts: [definePrompt({ name: 'static', messages: [] })],
    })
    await app.close()
    await auth.close()
  })
})

describe('relaxations of a resource server', () => {
  const issuer = 'https://acme.okta.com/oauth2/default'
  const loosely = () => jwtResourceServer({ resource, ...okta({ issuer, audiences: ['api://default'] }) })

  test('are told once at start, as a warning', async () => {
    const messages: string[] = []
    const auth = loosely()
    const app = await mounting(auth, {}, messages)
    expect(messages).toHaveLength(1)
    expect(JSON.parse(messages[0]!)).toMatchObject({ level: 40, resource, relaxations: auth.relaxations })
    await app.close()
  })

  test('are told by protect, too', async () => {
    const messages: string[] = []
    const app = Fastify({ logger: { level: 'warn', stream: { write: (line) => void messages.push(line) } } })
    await app.register(protect, { auth: loosely() })
    await app.ready()
    expect(messages).toHaveLength(1)
    await app.close()
  })

  test('nothing is told when nothing is relaxed', async () => {
    const messages: string[] = []
    await (await mounting(jwtResourceServer({ resource, issuer }), {}, messages)).close()
    await (await mounting('none', {}, messages)).close()
    expect(messages).toEqual([])
  })
})
