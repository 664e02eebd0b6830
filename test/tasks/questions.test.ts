import { describe, expect, onTestFinished, test } from 'vitest'
import { defineTaskTool, form } from 'castellan'
import { createClient, httpCaller } from 'castellan/client'
import { handleTask, memoryTaskRunner, type TaskHandler, type TaskRunner } from 'castellan/tasks'
import { z } from 'zod'
import { listen } from '../fastify/server.js'
import { engines } from './engines.js'
import { create, ended, send, until } from './wire.js'

const sure = form(z.object({ sure: z.boolean() }))
const yes = { action: 'accept', content: { sure: true } }

describe('`prepare` and the handler', () => {
  const both = defineTaskTool({
    name: 'both',
    description: 'Asks before there is a task and in it',
    inputs: { confirm: sure },
    task: 'optional',
  })

  test.each([undefined, 'file'])(
    'MR-3: may ask under one key (%s), also where a client waits',
    async (key) => {
      const put = (message: string) => ({ message, ...(key !== undefined && { key }) })
      const tool = handleTask<typeof both, string>(
        both,
        memoryTaskRunner(),
        async (_input, { input, prepared }) => {
          const { action } = await input.confirm(put('Go on?'))
          return `${prepared} ${action}`
        },
        { prepare: async (_input, { input }) => (await input.confirm(put('Begin?'))).action },
      )
      const { url, app } = await listen({ tools: [tool] })
      onTestFinished(() => app.close())
      const asked: string[] = []
      const onInput = {
        form: ({ params }: { params: { message: string } }) => {
          asked.push(params.message)
          return asked.length === 1
            ? { action: 'accept' as const, content: { sure: true } }
            : { action: 'decline' as const }
        },
      }
      const clientInfo = { name: 'test', version: '1' }
      const caller = httpCaller({ clientInfo, endpoint: url, onInput })
      const answer = await createClient(caller).callRaw('both', {})
      expect(asked).toEqual(['Begin?', 'Go on?'])
      expect(answer).toMatchObject({ content: [{ type: 'text', text: 'accept decline' }] })
      await caller.close()
    },
  )
})

describe.runIf(engines.length > 1)('after a restart of the work', () => {
  const remove = defineTaskTool({
    name: 'remove',
    description: 'Removes',
    inputs: { confirm: sure },
    task: 'required',
  })

  /** A task whose work stops where `first` wants, and goes on with `second`. */
  async function restarted(
    first: TaskHandler<typeof remove>,
    second: TaskHandler<typeof remove>,
    between: (url: string, taskId: string) => Promise<void>,
  ) {
    const engine = await engines.at(-1)![1]()
    const start = async (runner: TaskRunner, handler: TaskHandler<typeof remove>) =>
      listen({ tools: [handleTask(remove, runner, handler, { onStalled: 'restart' })] })
    const stopping = engine.runner()
    const before = await start(stopping, first)
    const { taskId } = await create(before.url, 'remove')
    await between(before.url, taskId)
    await stopping.close()
    const { app, url } = await start(engine.runner(), second)
    onTestFinished(async () => {
      await Promise.all([before.app.close(), app.close()])
      await engine[Symbol.asyncDispose]()
    })
    return { url, taskId }
  }

  const isAsking = (task: any) => ended(task) || task.status === 'input_required'
  const asks =
    (message: string): TaskHandler<typeof remove> =>
    async (_input, { input }) =>
      (await input.confirm({ message })).action
  const thenWaits =
    (message: string, told: () => void): TaskHandler<typeof remove> =>
    async (_input, { input, signal }) => {
      await input.confirm({ message })
      told()
      await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
      throw signal.reason
    }

  test.each([
    ['the same question keeps its answer', 'Remove a.txt?', undefined],
    ['TK-11: another question under the key is asked anew', 'Remove all?', 'confirm:again-2'],
  ])('%s', async (_what, message, anew) => {
    let told: () => void = () => undefined
    const answered = new Promise<void>((resolve) => (told = resolve))
    const { url, taskId } = await restarted(
      thenWaits('Remove a.txt?', told),
      asks(message),
      async (at, id) => {
        await until(at, id, isAsking)
        await send(at, 'tasks/update', { taskId: id, inputResponses: { confirm: yes } })
        await answered
      },
    )
    if (anew !== undefined) {
      const { inputRequests } = await until(url, taskId, isAsking)
      expect(Object.keys(inputRequests)).toEqual([anew])
      expect(inputRequests[anew].params.message).toBe(message)
      await send(url, 'tasks/update', { taskId, inputResponses: { [anew]: { action: 'decline' } } })
    }
    const task = await until(url, taskId, ended)
    expect(task.result.content[0].text).toBe(anew === undefined ? 'accept' : 'decline')
  })

  test('TK-11: a question nobody waits for any more is withdrawn, and a late answer to it ignored', async () => {
    const { url, taskId } = await restarted(asks('Old?'), asks('New?'), async (at, id) => {
      await until(at, id, isAsking)
    })
    const anew = 'confirm:again-2'
    const { inputRequests } = await until(url, taskId, ({ inputRequests = {} }) => anew in inputRequests)
    expect(Object.keys(inputRequests)).toEqual([anew])
    await send(url, 'tasks/update', { taskId, inputResponses: { confirm: yes } })
    expect((await until(url, taskId, () => true)).status).toBe('input_required')
    await send(url, 'tasks/update', { taskId, inputResponses: { [anew]: yes } })
    expect(await until(url, taskId, ended)).toMatchObject({ status: 'completed' })
  })
})
