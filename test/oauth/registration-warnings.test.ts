import { once } from 'node:events'
import { expect, test } from 'vitest'
import { publicClient } from '../../src/oauth/registration/public.js'
import { entra } from '../../src/transports/presets/entra.js'

const client = { issuer: 'https://login.example.com', clientId: 'notes' }

test('I8 F13 what the quirks of a registration relax is a warning of the process', async () => {
  const warned = once(process, 'warning') as Promise<[Error]>
  publicClient(client)
  publicClient({ ...client, quirks: entra({ scopes: ['api://notes/.default'] }) })
  const [warning] = await warned
  expect(warning).toMatchObject({
    name: 'CastellanWarning',
    message: expect.stringMatching(/^Registration at https:\/\/login\.example\.com: assumePkceS256: PKCE /),
  })
})
