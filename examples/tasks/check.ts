import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import { defineTaskTool, form } from 'castellan'
import { createClient, httpCaller, type Caller, type Task } from 'castellan/client'
import mcp from 'castellan/fastify'
import { handleTask, memoryTaskRunner } from 'castellan/tasks'
import fastify from 'fastify'
import { z } from 'zod'
import { progressBar } from './progress-bar.js'

/** Long work: the call is answered with a task, and the report is its result. */
const makeReport = defineTaskTool({
  name: 'make_report',
  description: 'Makes the report of a year, month by month',
  input: z.object({ year: z.int() }),
  output: z.object({ months: z.int(), sent: z.boolean() }),
  inputs: { send: form(z.object({ send: z.boolean() })) },
  annotations: { idempotentHint: true },
  task: 'optional',
})

const runner = memoryTaskRunner({ pollIntervalMs: 20 })

const report = handleTask(makeReport, runner, async ({ year }, { progress, input, signal }) => {
  for (let month = 1; month <= 12; month++) {
    await pause(5, undefined, { signal })
    await progress({ progress: month, total: 12 })
  }
  const answer = await input.send({ message: `Send the report of ${year} to the board?` })
  return { months: 12, sent: answer.action === 'accept' && answer.content.send }
})

/** Follows a task by its id alone, answering its one question, and shows how far it is. */
async function follow(caller: Caller, taskId: string): Promise<Task> {
  for (;;) {
    const task = await caller.getTask(taskId)
    draw(progressBar(task.statusMessage))
    if (task.status === 'input_required') {
      const answers = Object.keys(task.requests).map((key) => [
        key,
        { action: 'accept', content: { send: true } },
      ])
      await caller.updateTask(taskId, Object.fromEntries(answers) as Parameters<Caller['updateTask']>[1])
    } else if (task.status !== 'working') return task
    await pause(task.pollIntervalMs ?? 1000)
  }
}

/** Draws over the line before, where somebody looks on. */
function draw(bar: string): void {
  if (process.stdout.isTTY) process.stdout.write(`\r${bar}`)
}

/** A report that is made while the client looks on. */
export async function check(): Promise<void> {
  const app = fastify({ forceCloseConnections: true })
  app.addHook('onClose', () => runner.close())
  await app.register(mcp, { path: '/mcp', name: 'reports', version: '1.0.0', auth: 'none', tools: [report] })
  const origin = await app.listen({ port: 0, host: '127.0.0.1' })
  const clientInfo = { name: 'terminal', version: '1.0.0' }
  const inputSupport = { form: true } as const
  await using client = createClient(httpCaller({ clientInfo, endpoint: `${origin}/mcp`, inputSupport }))
  try {
    const started = await client.callRaw(makeReport, { year: 2026 }, { taskSupport: true })
    assert(started.status === 'task')
    const task = await follow(client.caller, started.task.taskId)
    assert(task.status === 'completed')
    assert.deepEqual(task.result.structuredContent, { months: 12, sent: true })
  } finally {
    await app.close()
  }
}
