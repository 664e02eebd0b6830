import { createClient, httpCaller } from 'castellan/client'
import { authorizationCodeTransport, publicClient } from 'castellan/transports'
import { whoami, writing } from '../../fastify/guarded.js'
import { protectedServer } from '../../transports/protected-server.js'
import type { Canaries } from '../canaries.js'
import { recordedStore } from '../recorded-store.js'
import { canary } from '../secrets.js'
import { stepsAt, type Faults, type Life } from './life.js'

const loopback = { allowLoopbackHttp: true } as const
const local = { clientId: 'cli', redirectUris: ['http://127.0.0.1/callback'] }

async function live(found: Canaries, faults: Faults): Promise<void> {
  const heard = { audit: found.audit, span: found.span, dpop: { required: true } }
  const server = await protectedServer({ ofUsers: true, server: { clients: [local] }, ...heard })
  const transport = authorizationCodeTransport.forLocal({
    endpoint: server.endpoint,
    registration: publicClient({ issuer: server.as.issuer, clientId: 'cli', ...loopback }),
    store: recordedStore(found.secrets),
    openBrowser: async (url) => {
      const callback = new URL(await server.as.consent(url))
      const wrong = new URL(callback)
      wrong.searchParams.set('state', canary('state'))
      for (const each of [wrong, callback]) found.seen('page', await (await fetch(each)).text())
    },
    dpop: true,
    ...loopback,
  })
  const client = createClient(httpCaller({ clientInfo: { name: 'cli', version: '1.0.0' }, transport }))
  found.seen('transport', transport, client)
  const { attempt, turn } = stepsAt(server.as, found, faults)
  await attempt(client.call(whoami.definition, {}))
  await attempt(client.call(writing.definition, {}))
  turn()
  for (const { token } of server.seen) if (token !== undefined) server.refused.add(token)
  await attempt(client.call(whoami.definition, {}))
  await attempt(transport.forget())
  await client.close()
  await server.stop()
}

export const localConsent: Life = {
  name: 'consent of the one user of this machine',
  secrets: ['code', 'code_verifier', 'state', 'access_token', 'refresh_token', 'dpop proof', 'd', 'token'],
  endpoints: ['metadata', 'token', 'revocation'],
  live,
}
