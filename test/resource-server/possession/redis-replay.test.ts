import { createClient } from 'redis'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { createGuard, isRejection, redisReplayStore } from '../../../src/resource-server/index.js'
import { withDpopAt } from '../../../src/resource-server/possession/dpop.js'
import { redisIsInstalled, startRedis, type RedisServer } from '../../store/redis.js'
import { resource } from '../fixture.js'
import { dpopChallenge, dpopGuard, told } from './fixture.js'

const replayed = [401, 'proof-replayed', dpopChallenge('invalid_dpop_proof')]
const undecided = {
  status: 503,
  reason: 'undecided',
  detail: 'replay store: unavailable',
  headers: { 'cache-control': 'no-store' },
}

let server: RedisServer

async function connect() {
  const client = createClient({ url: server.url, socket: { reconnectStrategy: 20 } })
  client.on('error', () => undefined)
  await client.connect()
  onTestFinished(() => client.destroy())
  return client
}

async function processOf(client: Awaited<ReturnType<typeof connect>>): Promise<number> {
  const id = /process_id:(\d+)/.exec(await client.info('server'))?.[1]
  return Number(id)
}

if (redisIsInstalled) {
  describe('A61 G10 proofs remembered in Redis', () => {
    beforeAll(async () => {
      server = await startRedis()
    })
    afterAll(() => server.close())

    it('of 50 at once at two instances exactly one wins, and the key says nothing of the proof', async () => {
      const [one, other] = [await connect(), await connect()]
      const replay = redisReplayStore(one)
      const { present, mintBound, proof, key, clock, resourceServer } = await dpopGuard({ replay })
      const twin = createGuard({
        resourceServer: withDpopAt(resourceServer, { replay: redisReplayStore(other) }, clock),
        basicScopes: ['mcp'],
      })
      const token = await mintBound()
      const single = await proof(token, { claims: { jti: 'a-proof' } })
      const authorization = [`DPoP ${token}`]
      const request = { authorization, proofs: [single], method: 'POST', target: resource, url: '/mcp' }
      const decisions = await Promise.all(
        Array.from({ length: 50 }, async (_, i) =>
          i % 2 === 0 ? present(`DPoP ${token}`, single) : twin.authenticate(request),
        ),
      )
      expect(decisions.filter((decision) => !isRejection(decision))).toHaveLength(1)
      expect(decisions.map(told).filter((each) => each !== 'alice')).toEqual(Array(49).fill(replayed))
      const keys = await one.keys('*')
      expect(keys).toEqual([expect.stringMatching(/^castellan:dpop:[\w-]{43}$/)])
      expect(keys[0]).not.toContain(key.jkt)
      const left = await one.pTTL(keys[0]!)
      expect(left).toBeGreaterThan(60_000)
      expect(left).toBeLessThanOrEqual(70_000)
    })

    it('two stores race for one key: one is first; another prefix is another room', async () => {
      const stores = [redisReplayStore(await connect()), redisReplayStore(await connect())]
      const answers = await Promise.all(
        Array.from({ length: 40 }, async (_, i) => stores[i % 2]!.add('one-key', 70)),
      )
      expect(answers.filter(Boolean)).toHaveLength(1)
      const elsewhere = redisReplayStore(await connect(), { prefix: 'other:' })
      expect(await elsewhere.add('one-key', 0.001)).toBe(true)
    })

    it('A18 stopped mid-flight is 503 without a challenge, and good again when it goes on', async () => {
      const client = await connect()
      const { present, mintBound, proof } = await dpopGuard({ replay: redisReplayStore(client) })
      const token = await mintBound()
      expect(told(await present(`DPoP ${token}`, await proof(token)))).toBe('alice')
      const id = await processOf(client)
      process.kill(id, 'SIGSTOP')
      const stalled = await present(`DPoP ${token}`, await proof(token))
      process.kill(id, 'SIGCONT')
      expect(stalled).toEqual(undecided)
      expect(await client.ping()).toBe('PONG')
      expect(told(await present(`DPoP ${token}`, await proof(token)))).toBe('alice')
    })

    it('A18 gone is 503, and back is good again', async () => {
      const client = await connect()
      const { present, mintBound, proof } = await dpopGuard({ replay: redisReplayStore(client) })
      const token = await mintBound()
      await server.stop()
      expect(await present(`DPoP ${token}`, await proof(token))).toEqual(undecided)
      await server.start()
      expect(await client.ping()).toBe('PONG')
      expect(told(await present(`DPoP ${token}`, await proof(token)))).toBe('alice')
    })

    it('A18 a closed client is 503', async () => {
      const client = createClient({ url: server.url })
      await client.connect()
      const { present, mintBound, proof } = await dpopGuard({ replay: redisReplayStore(client) })
      const token = await mintBound()
      await client.close()
      expect(await present(`DPoP ${token}`, await proof(token))).toEqual(undecided)
    })
  })
}

it('A18 an unknown answer is none', async () => {
  const store = redisReplayStore({ set: () => Promise.resolve(1) })
  await expect(Promise.resolve(store.add('key', 1))).rejects.toThrow('unknown answer')
})
