import assert from 'node:assert/strict'
import { injectClient, testAuthorizationServer } from 'castellan/testing'
import { shop } from './shop.js'
import { nextChange } from './watch.js'

const resource = 'https://shop.example.com/mcp'
const uris = ['shop://orders/1', 'shop://orders/2']

/** Two customers follow both orders; each hears of the own one only. Closing the app ends what is still followed. */
export async function check(): Promise<void> {
  const authorization = await testAuthorizationServer()
  const app = await shop(authorization.issuer)
  const callerOf = async (subject: string) => {
    const token = await authorization.mint({ resource, scopes: ['orders:read'], subject })
    return injectClient(app, { path: '/mcp', headers: { authorization: `Bearer ${token}` } }).caller
  }
  const [alice, bob] = [await callerOf('alice'), await callerOf('bob')]
  const following = async (caller: typeof alice) => {
    let change: Promise<string> = Promise.resolve('')
    await new Promise<void>((ready) => {
      change = nextChange(caller, uris, ready)
    })
    return { change }
  }
  const [ofAlice, ofBob] = [await following(alice), await following(bob)]
  await app.inject({ method: 'PUT', url: '/orders/2', payload: { state: 'lost' } })
  await app.inject({ method: 'PUT', url: '/orders/1', payload: { state: 'sent' } })
  assert.equal(await ofAlice.change, 'shop://orders/1 is sent')
  assert.equal(await ofBob.change, 'shop://orders/2 is lost')

  const ended = alice.listen(
    { resourceSubscriptions: uris },
    {
      onEvent: async () => {
        await app.close()
      },
    },
  )
  await ended
  await alice.close()
  await bob.close()
  await authorization.close()
}

if (import.meta.filename === process.argv[1]) await check()
