import { clientMetadata } from 'castellan/fastify'
import Fastify from 'fastify'
import { describe, expect, onTestFinished, test } from 'vitest'

const client = {
  clientId: 'https://app.example.com/oauth/client.json',
  name: 'Notes',
  redirectUris: ['https://app.example.com/oauth/callback'],
}

async function served(options: object = {}) {
  const app = Fastify()
  onTestFinished(() => app.close())
  await app.register(clientMetadata, { ...client, ...options })
  return app
}

describe('clientMetadata', () => {
  test('B58 serves the document at the path of the client id, cacheable, to anybody', async () => {
    const answer = await (await served()).inject('/oauth/client.json')
    expect(answer.headers).toMatchObject({
      'content-type': 'application/json',
      'cache-control': 'public, max-age=300',
      'access-control-allow-origin': '*',
    })
    expect(answer.json()).toMatchObject({
      client_id: client.clientId,
      redirect_uris: client.redirectUris,
      token_endpoint_auth_method: 'none',
    })
  })

  test('B58 answers HEAD without a body', async () => {
    const answer = await (await served()).inject({ method: 'HEAD', url: '/oauth/client.json' })
    expect(answer).toMatchObject({ statusCode: 200, body: '' })
  })

  test.each([
    ['a private key', { keys: { keys: [{ kty: 'EC', d: 'canary' }] } }],
    ['no redirect URI', { redirectUris: [] }],
    ['an http client id', { clientId: 'http://app.example.com/c' }],
  ])('B57 B58 refuses to start with %s', async (_, options) => {
    await expect(served(options)).rejects.toMatchObject({ code: 'ERR_OPTION' })
  })
})
