import { expect, test } from 'vitest'
import { authorizedTransport } from '../../src/transports/authorized-transport.js'

test('every close waits until all has ended, also when a connection fails to', async () => {
  const ended: string[] = []
  let free: () => void = () => undefined
  const held = new Promise<void>((resolve) => (free = resolve))
  const transport = authorizedTransport({
    endpoint: 'https://api.example.com/mcp',
    exchange: {
      send: () => Promise.reject(new Error('nothing is sent')),
      close: () => Promise.reject(new Error('not closed')),
    },
    authorizer: {
      credentials: () => Promise.resolve(undefined),
      recover: () => Promise.resolve(undefined),
      close: () => held.then(() => void ended.push('authorizer')),
    },
    release: () => Promise.resolve(void ended.push('release')),
  })
  const closings = [transport.close(), transport.close()].map(async (closing) => {
    await expect(closing).rejects.toThrow('not closed')
    return [...ended]
  })
  free()
  expect(await Promise.all(closings)).toEqual([
    ['authorizer', 'release'],
    ['authorizer', 'release'],
  ])
})
