import assert from 'node:assert/strict'
import { createClient, externalTool, httpCaller } from 'castellan/client'
import { z } from 'zod'
import { startServer } from './start.js'

/** Only what this host sends and relies on; the server's own schemas may say more. */
const forecast = externalTool({
  name: 'forecast',
  input: z.object({ city: z.string() }),
  output: z.object({ degrees: z.number() }),
})

/** Calls a server of the official SDK, typed and by name, and answers what it asks. */
export async function check(): Promise<void> {
  const server = await startServer()
  try {
    await using client = createClient(
      httpCaller({
        clientInfo: { name: 'traveller', version: '1.0.0' },
        endpoint: server.url,
        onInput: { form: () => ({ action: 'accept', content: { sure: true } }) },
      }),
    )
    assert.deepEqual(await client.call(forecast, { city: 'Bern' }), { degrees: 18 })
    const { content } = await client.call('subscribe_to_warnings', { city: 'Bern' })
    assert.deepEqual(content, [{ type: 'text', text: 'Warnings for Bern are on' }])
  } finally {
    await server.stop()
  }
}
