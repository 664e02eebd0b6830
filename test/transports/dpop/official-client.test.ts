import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { offer } from '../../fastify/notes.js'
import { eras, officialJob } from '../official-job.js'
import { client as job, protectedServer } from '../protected-server.js'

test.each(eras)('A61 B2 the official client speaking %s proves every request', async (era) => {
  const dpop = { required: true, nonce: { secret: randomBytes(32) } }
  const server = await protectedServer({ ...offer, dpop, server: { clients: [job], dpopNonces: true } })
  const { client, connect, close } = officialJob(server, era, true)
  await connect()
  const echoed = await client.callTool({ name: 'echo', arguments: { text: 'ha', times: 2 } })
  expect(echoed.structuredContent).toEqual({ text: 'haha' })
  await close()
  await server.stop()
})
