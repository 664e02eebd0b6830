import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { offer, progress } from '../fastify/notes.js'
import { eras, officialJob } from './official-job.js'
import { protectedServer, type ProtectedServer } from './protected-server.js'

let server: ProtectedServer
beforeAll(async () => {
  server = await protectedServer({ ...offer, tools: [...(offer.tools ?? []), progress] })
})
afterAll(() => server.stop())

describe.each(eras)('the official client speaking %s over a transport', (era) => {
  let official: ReturnType<typeof officialJob>
  beforeAll(async () => {
    official = officialJob(server, era)
    await official.connect()
  })
  afterAll(() => official.close())

  test('B1 B2 lists, calls and reads with a token on every request', async () => {
    const before = server.seen.length
    expect((await official.client.listTools()).tools.map(({ name }) => name)).toContain('echo')
    const echoed = await official.client.callTool({ name: 'echo', arguments: { text: 'ha', times: 2 } })
    expect(echoed.structuredContent).toEqual({ text: 'haha' })
    const read = await official.client.readResource({ uri: 'notes://note/7' })
    expect(read.contents[0]).toMatchObject({ text: 'note 7' })
    const later = server.seen.slice(before)
    expect(later.length).toBeGreaterThanOrEqual(3)
    expect(new Set(later.map(({ token }) => token)).size).toBe(1)
    expect(later[0]?.token).toBeDefined()
  })

  test('gets events as they come', async () => {
    const seen: number[] = []
    await official.client.callTool(
      { name: 'progress', arguments: { steps: [1, 2, 3] } },
      { onprogress: ({ progress: value }) => seen.push(value) },
    )
    expect(seen).toEqual([1, 2, 3])
  })

  test('B2 is told why nothing was sent', async () => {
    const end = server.as.fault('token', 'outage')
    const fresh = officialJob(server, era)
    await expect(fresh.connect()).rejects.toThrow(/token endpoint/)
    end()
    await fresh.close()
  })
})
