import { expect, onTestFinished, test } from 'vitest'
import { handleTask } from 'castellan/tasks'
import { listenGuarded } from '../fastify/guarded.js'
import { listen } from '../fastify/server.js'
import { engines } from './engines.js'
import { forever } from './tools.js'
import { create, send, until } from './wire.js'

const waiting = async (_input: unknown, { signal }: { signal: AbortSignal }) => {
  await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
  return 'stopped'
}
const refused = {
  isError: true,
  content: [{ text: 'The server cannot take on more work now; try again later' }],
}

test.each(engines)('%s an owner has so many unfinished tasks and no more', async (_name, open) => {
  await using engine = await open()
  const tool = handleTask(forever, engine.runner({ limitPerOwner: 2 }), waiting)
  const { url, ...server } = await listenGuarded({ tools: [tool] })
  onTestFinished(() => server.stop())
  const alice = await server.bearer()
  const bob = await server.bearer(['mcp'], 'bob')
  const first = await create(url, 'forever', {}, alice)
  await create(url, 'forever', {}, alice)
  expect(await create(url, 'forever', {}, alice)).toMatchObject(refused)
  expect(await create(url, 'forever', {}, bob)).toMatchObject({ status: 'working' })
  const cancel = () => send(url, 'tasks/cancel', { taskId: first.taskId }, { headers: alice })
  await Promise.all([cancel(), cancel()])
  expect(await create(url, 'forever', {}, alice)).toMatchObject({ status: 'working' })
  expect(await create(url, 'forever', {}, alice)).toMatchObject(refused)
})

test.each(engines)('%s tasks whose time is over make room', async (_name, open) => {
  await using engine = await open()
  const tool = handleTask(forever, engine.runner({ limitPerOwner: 1, ttlMs: 1500 }), waiting)
  const { url, app } = await listen({ tools: [tool] })
  onTestFinished(() => app.close())
  const { taskId } = await create(url, 'forever')
  expect(await create(url, 'forever')).toMatchObject(refused)
  await until(url, taskId, () => false)
  let next: any
  do next = await create(url, 'forever')
  while (next.isError === true)
  expect(next).toMatchObject({ status: 'working' })
})

test.runIf(engines.length > 1)(
  'two instances that take on work at once keep one limit together',
  async () => {
    const [, open] = engines.at(-1)!
    await using engine = await open()
    const servers = await Promise.all(
      [1, 2].map(() =>
        listen({ tools: [handleTask(forever, engine.runner({ limitPerOwner: 5 }), waiting)] }),
      ),
    )
    onTestFinished(async () => {
      await Promise.all(servers.map(({ app }) => app.close()))
    })
    const calls = Array.from({ length: 40 }, (_, index) => create(servers[index % 2]!.url, 'forever'))
    const answers = await Promise.all(calls)
    expect(answers.filter(({ status }) => status === 'working')).toHaveLength(5)
    expect(answers.filter(({ isError }) => isError === true)).toHaveLength(35)
  },
)

test.each(engines)('%s `limitPerOwner` must be a whole number', async (_name, open) => {
  await using engine = await open()
  for (const limitPerOwner of [0, -1, 1.5, Number.NaN])
    expect(() => engine.runner({ limitPerOwner })).toThrow(expect.objectContaining({ code: 'ERR_OPTION' }))
})
