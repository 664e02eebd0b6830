import { redisChanges } from 'castellan/fastify'
import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { createClient } from 'redis'
import { describe, expect, test } from 'vitest'
import type { Change } from '../../../src/server/changes/change.js'
import { redisIsInstalled, startRedis } from '../../store/redis.js'

/** A way to a server that can fall silent without being closed. */
async function wayTo(port: number) {
  const sockets: Socket[] = []
  const way = createServer((near) => {
    const far = connect(port, '127.0.0.1')
    for (const socket of [near, far]) sockets.push(socket.on('error', () => undefined))
    near.pipe(far).pipe(near)
  })
  way.listen(0, '127.0.0.1')
  await once(way, 'listening')
  return {
    port: (way.address() as AddressInfo).port,
    fallSilent() {
      for (const socket of sockets) socket.unpipe().pause()
    },
    close() {
      for (const socket of sockets) socket.destroy()
      way.close()
    },
  }
}

describe.runIf(redisIsInstalled)('changes over Redis', () => {
  test('SUB-14 a connection that answers no more is lost, though nobody closed it', async () => {
    await using redis = await startRedis()
    const way = await wayTo(redis.port)
    const client = createClient({ url: `redis://127.0.0.1:${way.port}` })
    await client.on('error', () => undefined).connect()
    const lost = new Promise<void>((resolve, reject) => {
      const follower = { hear: () => undefined, lost: resolve }
      redisChanges(client)
        .follow(follower)
        .then(() => way.fallSilent(), reject)
    })
    await lost
    client.destroy()
    way.close()
  })

  test('SUB-14 what is no change on the channel is not heard, and channels are apart', async () => {
    await using redis = await startRedis()
    const client = await createClient({ url: redis.url }).connect()
    const heard: Change[] = []
    const changes = redisChanges(client, { channel: 'mine' })
    const last = new Promise<void>((resolve) => {
      const hear = (change: Change) => {
        heard.push(change)
        if (change.kind === 'prompts') resolve()
      }
      void changes.follow({ hear, lost: () => undefined }).then(async () => {
        await redisChanges(client).toolsChanged()
        for (const text of ['', '{', '[]', 'null', '{"kind":"resource","uri":1}'])
          await client.publish('mine', text)
        await changes.resourcesChanged()
        await changes.promptsChanged()
      })
    })
    await last
    expect(heard).toEqual([{ kind: 'resources' }, { kind: 'prompts' }])
    client.destroy()
  })
})
