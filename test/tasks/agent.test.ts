import { expect, onTestFinished, test } from 'vitest'
import {
  executeToolCall,
  mcpToolset,
  memorySuspendedCallStore,
  parseSuspendedCall,
  planCalls,
  resumeTask,
  toolRequest,
  type ToolOutcome,
} from 'castellan/agent'
import { httpCaller } from 'castellan/client'
import { listen } from '../fastify/server.js'
import { engines } from './engines.js'
import { remove, taskTools } from './tools.js'

function recordOf(outcome: ToolOutcome) {
  if (outcome.status !== 'suspended') throw new Error(JSON.stringify(outcome))
  return parseSuspendedCall(JSON.stringify(outcome.suspended))
}

test.each(engines)(
  'G-149: %s, a model’s call is followed, answered and ended as a task',
  async (_name, open) => {
    await using engine = await open()
    const { url, app } = await listen({ tools: taskTools(engine.runner()) })
    onTestFinished(() => app.close())
    const clientInfo = { name: 'test', version: '1' }
    const caller = httpCaller({ endpoint: url, clientInfo, inputSupport: { form: true, url: true } })
    onTestFinished(() => caller.close())
    const toolset = mcpToolset({ name: 'files', tools: [remove], caller })
    const store = memorySuspendedCallStore()
    const options = { store, taskSupport: true }
    const [call] = planCalls([await toolRequest(remove, { file: 'a.txt' })])
    const begun = recordOf(await executeToolCall(toolset, call!, options))
    const asked = recordOf(await resumeTask(toolset, begun, {}, { store }))
    const confirmed = { confirm: { action: 'accept', content: { sure: true } } } as const
    const half = recordOf(await resumeTask(toolset, asked, { responses: confirmed }, { store }))
    const note = { note: { action: 'accept', content: { why: 'old' } } } as const
    const answered = recordOf(await resumeTask(toolset, half, { responses: note }, { store }))
    expect(await resumeTask(toolset, answered, {}, { store })).toMatchObject({
      status: 'ok',
      content: [{ type: 'text', text: 'Removed: old' }],
    })

    const [other] = planCalls([await toolRequest(remove, { file: 'b.txt' })])
    const second = recordOf(await executeToolCall(toolset, other!, options))
    const ending = recordOf(await resumeTask(toolset, second, { cancel: true }, { store }))
    expect(await resumeTask(toolset, ending, {}, { store })).toMatchObject({ status: 'failed' })
  },
)
