import { setTimeout as pause } from 'node:timers/promises'
import { defineTaskTool, defineTool, form, ToolError, WireError } from 'castellan'
import { handle } from 'castellan/fastify'
import { handleTask, memoryTaskRunner } from 'castellan/tasks'
import { z } from 'zod'

const runner = memoryTaskRunner({ pollIntervalMs: 200 })

const greet = handle(
  defineTool({ name: 'greet', description: 'Greets', input: z.object({ name: z.string() }) }),
  ({ name }) => `Hello, ${name}!`,
)

const slow = handleTask(
  defineTaskTool({
    name: 'slow_compute',
    description: 'Takes its time',
    input: z.object({ seconds: z.number().default(1), label: z.string().default('work') }),
    task: 'optional',
  }),
  runner,
  async ({ seconds, label }, { signal }) => {
    await pause(seconds * 1000, undefined, { signal })
    return `Computed ${label}`
  },
)

const failing = handleTask(
  defineTaskTool({ name: 'failing_job', description: 'Fails as a tool', task: 'required' }),
  runner,
  async () => {
    await pause(1000)
    throw new ToolError('The job failed')
  },
)

const protocolError = handleTask(
  defineTaskTool({ name: 'protocol_error_job', description: 'Fails as a request', task: 'required' }),
  runner,
  async () => {
    await pause(500)
    throw new WireError('ERR_INTERNAL', 'The job broke')
  },
)

const confirmDelete = handleTask(
  defineTaskTool({
    name: 'confirm_delete',
    description: 'Deletes a file once that is confirmed',
    input: z.object({ filename: z.string().default('file.txt') }),
    inputs: { confirm: form(z.object({ confirm: z.boolean() })) },
    task: 'required',
  }),
  runner,
  async ({ filename }, { input }) => {
    const answer = await input.confirm({ message: `Delete ${filename}?` })
    return answer.action === 'accept' && answer.content.confirm ? `Deleted ${filename}` : 'Not deleted'
  },
)

const person = form(z.object({ name: z.string(), confirm: z.boolean() }))

const multiInput = handleTask(
  defineTaskTool({
    name: 'multi_input',
    description: 'Asks two things at once',
    inputs: { first: person, second: person },
    task: 'required',
  }),
  runner,
  async (_input, { input }) => {
    const answers = await Promise.all([
      input.first({ message: 'The first value?' }),
      input.second({ message: 'The second value?' }),
    ])
    return answers.map((answer) => (answer.action === 'accept' ? answer.content.name : '')).join(', ')
  },
)

const asksFirst = handleTask(
  defineTaskTool({
    name: 'test_tool_with_task',
    description: 'Asks before it becomes a task',
    inputs: { user_name: form(z.object({ name: z.string() })) },
    task: 'required',
  }),
  runner,
  (_input: unknown, { prepared }: { readonly prepared: string }) => `Hello, ${prepared}!`,
  {
    prepare: async (_input, { input }) => {
      const answer = await input.user_name({ message: 'What is your name?' })
      return answer.action === 'accept' ? answer.content.name : 'nobody'
    },
  },
)

export const taskTools = [greet, slow, failing, protocolError, confirmDelete, multiInput, asksFirst]
