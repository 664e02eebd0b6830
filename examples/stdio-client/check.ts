import assert from 'node:assert/strict'
import { fileURLToPath } from 'node:url'
import { createClient, externalTool, InvalidArgumentsError, stdioCaller } from 'castellan/client'
import { z } from 'zod'

const roll = externalTool({
  name: 'roll',
  input: z.object({ dice: z.number() }),
  output: z.object({ total: z.number() }),
})

/** Starts a server as a process, calls it over its pipes and ends it. */
export async function check(): Promise<void> {
  await using client = createClient(
    await stdioCaller({
      clientInfo: { name: 'player', version: '1.0.0' },
      command: process.execPath,
      args: ['--import', 'tsx', fileURLToPath(new URL('./server.ts', import.meta.url))],
    }),
  )
  assert.deepEqual(await client.call(roll, { dice: 2 }), { total: 8 })
  const rolls = await Promise.all([1, 3, 5].map((dice) => client.call(roll, { dice })))
  assert.deepEqual(rolls, [{ total: 4 }, { total: 12 }, { total: 20 }])
  await assert.rejects(client.call('roll', { dice: 'many' }), InvalidArgumentsError)
}
