import { expect, onTestFinished, test } from 'vitest'
import { defineTaskTool, ToolError } from 'castellan'
import type { Around } from 'castellan/fastify'
import { handleTask, memoryTaskRunner } from 'castellan/tasks'
import { listen } from '../fastify/server.js'
import { create, ended, until } from './wire.js'

const tool = defineTaskTool({ name: 'work', description: 'Works', task: 'required' })

test('work around calls is around those that create and read a task, not around its handler', async () => {
  const steps: string[] = []
  const around: Around = async ({ method }, next) => {
    steps.push(`${method} begins`)
    const given = await next()
    steps.push(
      `${method} gives ${Object.keys(given as object).includes('taskId') ? 'a task' : 'something else'}`,
    )
    return given
  }
  let work: () => void = () => undefined
  const called = new Promise<void>((resolve) => (work = resolve))
  const handled = handleTask(tool, memoryTaskRunner(), async () => {
    await called
    steps.push('the handler works')
    return 'done'
  })
  const { url, app } = await listen({ around: [around], tools: [handled] })
  onTestFinished(() => app.close())
  const { taskId } = await create(url, 'work')
  work()
  expect(await until(url, taskId, ended)).toMatchObject({ status: 'completed' })
  expect(steps.slice(0, 5)).toEqual([
    'tools/call begins',
    'tools/call gives a task',
    'the handler works',
    'tasks/get begins',
    'tasks/get gives a task',
  ])
})

test('work around a call may refuse it before there is a task', async () => {
  let isWorking = false
  const handled = handleTask(tool, memoryTaskRunner(), () => void (isWorking = true) as never)
  const refuse: Around = () => {
    throw new ToolError('Not today')
  }
  const { url, app } = await listen({ around: [refuse], tools: [handled] })
  onTestFinished(() => app.close())
  expect(await create(url, 'work')).toMatchObject({ isError: true, content: [{ text: 'Not today' }] })
  expect(isWorking).toBe(false)
})
