import { defineTool } from 'castellan'
import { handle, type Around } from 'castellan/fastify'
import { afterEach, expect, test } from 'vitest'
import { meta } from '../wire.js'
import { ask, server, silent } from '../server/harness.js'

const unseen: unknown[] = []
const collect = (reason: unknown) => void unseen.push(reason)
process.on('unhandledRejection', collect)
afterEach(async () => {
  await new Promise((resolve) => setTimeout(resolve, 10))
  expect(unseen.splice(0)).toEqual([])
})

test('B138 a call that work around it forgot to wait for ends nothing when it fails', async () => {
  const forgetful: Around = (_call, next) => {
    void next()
    return 'early'
  }
  const tool = handle(defineTool({ name: 'a', description: 'a' }), () => Promise.reject(new Error('late')))
  const on = server({ tools: [tool], around: [forgetful, forgetful] })
  expect((await ask(on, 'tools/call', { name: 'a' })).json.result.content[0].text).toBe('early')
})

const carriers: [string, () => Promise<void>][] = [
  ['rejects', () => Promise.reject(new Error('gone'))],
  [
    'throws',
    () => {
      throw new Error('gone')
    },
  ],
]

test.each(carriers)('B138 a carrier that %s on progress fails no call', async (_what, notify) => {
  const tool = handle(defineTool({ name: 'a', description: 'a' }), async (_input, { progress }) => {
    void progress({ progress: 1 })
    await progress({ progress: 2 })
    return 'done'
  })
  const params = { name: 'a', _meta: meta({ progressToken: 1 }) }
  const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params }
  const signal = () => new AbortController().signal
  const answer = await server({ tools: [tool] }).dispatch({ body, id: '1' }, { log: silent, notify, signal })
  expect(JSON.stringify(answer)).toContain('done')
})
