import { afterEach, describe, expect, test, vi } from 'vitest'
import { defineTaskTool, form, WireError } from 'castellan'
import { handleTask, memoryTaskRunner, type TaskHandler, type TaskRunner } from 'castellan/tasks'
import { z } from 'zod'
import { listen, type RunningServer } from '../fastify/server.js'
import { create, ended, send, until } from './wire.js'

const tool = defineTaskTool({
  name: 'work',
  description: 'Works in a strange way',
  inputs: { confirm: form(z.object({ sure: z.boolean() })) },
  task: 'required',
})
const yes = { action: 'accept', content: { sure: true } }

let server: RunningServer | undefined
afterEach(async () => {
  vi.useRealTimers()
  await server?.app.close()
})

/** A task whose work is this handler. */
async function begin(handler: TaskHandler<typeof tool>, runner: TaskRunner = memoryTaskRunner()) {
  server = await listen({ tools: [handleTask(tool, runner, handler)] })
  const { url } = server
  const { taskId } = await create(url, 'work')
  return {
    read: (wished: (task: any) => boolean = ended) => until(url, taskId, wished),
    answer: (inputResponses: object) => send(url, 'tasks/update', { taskId, inputResponses }),
  }
}

const isAsking = (task: any) => ended(task) || task.status === 'input_required'

describe('questions', () => {
  test('TK-11: the answer to one question is never taken for that to another', async () => {
    const done: string[] = []
    const { read, answer } = await begin(async (_input, { input }) => {
      for (const file of ['a.txt', 'b.txt']) {
        const { action } = await input.confirm({ message: `Remove ${file}?` })
        if (action === 'accept') done.push(file)
      }
      return 'Removed'
    })
    await read(isAsking)
    await answer({ confirm: yes })
    expect(await read()).toMatchObject({ status: 'failed', error: { message: 'Internal error' } })
    expect(done).toEqual(['a.txt'])
  })

  test.each(['two words', 'ü', '', 'x'.repeat(65), 7 as never])(
    'a `key` no answer could be found by is never asked: %j',
    async (key) => {
      const { read } = await begin(async (_input, { input }) => {
        await input.confirm({ message: 'Sure?', key })
      })
      expect(await read(isAsking)).toMatchObject({ status: 'failed', error: { message: 'Internal error' } })
    },
  )

  test('TK-11: a wrong answer to the longest `key` is asked anew as well', async () => {
    const key = 'x'.repeat(64)
    const { read, answer } = await begin(async (_input, { input }) =>
      JSON.stringify(await input.confirm({ message: 'Sure?', key })),
    )
    await read(isAsking)
    await answer({ [`confirm:${key}`]: { action: 'accept', content: { sure: 'perhaps' } } })
    const anew = `confirm:${key}.again-2`
    await read(({ inputRequests = {} }) => anew in inputRequests)
    await answer({ [anew]: yes })
    expect((await read()).result.content).toEqual([{ type: 'text', text: JSON.stringify(yes) }])
  })

  test('B138: a question nobody waits for does not end the process', async () => {
    const { read } = await begin(async (_input, { input, signal }) => {
      void input.confirm({ message: 'Sure?' })
      await read(isAsking)
      expect(signal.aborted).toBe(false)
      throw new Error('broken')
    })
    expect(await read()).toMatchObject({ status: 'failed' })
    await new Promise(setImmediate)
  })
})

describe('failures', () => {
  const thrower = {
    get message(): string {
      throw new Error('not to be looked at')
    },
  }

  test.each<[string, unknown]>([
    ['undefined', undefined],
    ['a text', 'text'],
    ['what cannot be looked at', thrower],
    ['an error whose data JSON cannot hold', new WireError('ERR_PARAMS', 'x', { big: 1n })],
  ])('B137 B138: %s that is thrown is a failed task', async (_what, thrown) => {
    const { read } = await begin(() => {
      throw thrown
    })
    expect(await read()).toMatchObject({
      status: 'failed',
      error: { code: -32603, message: 'Internal error' },
    })
  })

  test('a progress message that is no text is refused where it is told', async () => {
    const { read } = await begin((_input, { progress }) => {
      void progress({ progress: 1, message: 5 as never })
    })
    expect(await read()).toMatchObject({ status: 'failed', error: { message: 'Internal error' } })
  })
})

test('closing a runner does not wait for a handler that heeds no signal', async () => {
  const runner = memoryTaskRunner()
  await begin(() => new Promise<string>(() => undefined), runner)
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const closed = runner.close()
  await vi.advanceTimersByTimeAsync(10_000)
  await closed
})
