import { testAuthorizationServer } from 'castellan/testing'
import Fastify from 'fastify'
import { expect, test } from 'vitest'
import { takeFound } from './secrets.js'

test('G26 a token, a bound one, an opaque one and a secret are found in the log of any app, whoever else reads it', async () => {
  const as = await testAuthorizationServer()
  const resource = 'https://api.example.com/mcp'
  const lines: string[] = []
  for (const app of [
    Fastify(),
    Fastify({ logger: false }),
    Fastify({ logger: { level: 'info', stream: { write: (line) => lines.push(line) } } }),
  ]) {
    app.log.info('nothing secret')
    expect(takeFound()).toEqual([])
    app.log.info({ token: await as.mint({ resource }) })
    app.log.error(new Error(`refused ${as.mintOpaque({ resource })}`))
    app.log.warn({ headers: { authorization: 'Basic dGVzdC1jbGllbnQ6c2VjcmV0' } })
    app.log.info('client_assertion=abcdefgh')
    expect(takeFound()).toHaveLength(4)
  }
  expect(lines).toHaveLength(5)
  await as.close()
})
