import { createClient, httpCaller } from 'castellan/client'
import { clientCredentialsTransport, secretBasic, secretPost, type Registration } from 'castellan/transports'
import { either, whoami } from '../../fastify/guarded.js'
import { protectedServer } from '../../transports/protected-server.js'
import type { Canaries } from '../canaries.js'
import { recordedStore } from '../recorded-store.js'
import { canary } from '../secrets.js'
import { stepsAt, type Faults, type Life } from './life.js'

const client = { clientId: 'job', clientSecret: canary('client-secret') }

type Make = (issuer: string) => Registration

const registrations: Readonly<Record<string, Make>> = {
  'a secret in the header': (issuer) => secretBasic({ ...client, issuer, allowLoopbackHttp: true }),
  'a secret in the form': (issuer) => secretPost({ ...client, issuer, allowLoopbackHttp: true }),
  'a secret in the header, refused for its encoding': (issuer) =>
    secretBasic({ ...client, issuer, basicCredentialEncoding: 'raw', allowLoopbackHttp: true }),
  'a wrong secret in the form, refused': (issuer) =>
    secretPost({ ...client, clientSecret: canary('wrong'), issuer, allowLoopbackHttp: true }),
}

async function live(found: Canaries, make: Make, dpop: boolean, faults: Faults): Promise<void> {
  const heard = { audit: found.audit, span: found.span, ...(dpop && { dpop: { required: true } }) }
  const server = await protectedServer({ server: { clients: [client], dpopNonces: true }, ...heard })
  const registration = make(server.as.issuer)
  const { attempt, turn } = stepsAt(server.as, found, faults)
  const store = recordedStore(found.secrets)
  found.secrets.add('client_secret', client.clientSecret)
  async function run(): Promise<void> {
    const transport = clientCredentialsTransport({
      endpoint: server.endpoint,
      registration,
      store,
      dpop,
      allowLoopbackHttp: true,
    })
    const made = createClient(httpCaller({ clientInfo: { name: 'job', version: '1.0.0' }, transport }))
    found.seen('transport', transport, made, registration, store)
    await attempt(made.call(whoami.definition, {}))
    await attempt(made.call(either.definition, {}))
    await attempt(transport.fetch(server.endpoint, { method: 'POST', body: '{' }))
    await attempt(transport.fetch('https://elsewhere.example.com/mcp'))
    await made.close()
    await attempt(made.call(whoami.definition, {}))
  }
  await run()
  turn()
  for (const { token } of server.seen) if (token !== undefined) server.refused.add(token)
  await run()
  server.refused.add('*')
  await run()
  await server.stop()
}

export const applications: readonly Life[] = Object.entries(registrations).flatMap(([name, make]) =>
  [false, true].map((dpop) => ({
    name: `an application by ${name}, ${dpop ? 'bound' : 'bearer'}`,
    secrets: name.includes('refused')
      ? ['client_secret']
      : ['client_secret', 'access_token', ...(dpop ? ['d', 'dpop proof'] : [])],
    endpoints: ['metadata', 'token'],
    live: (found, faults) => live(found, make, dpop, faults),
  })),
)
