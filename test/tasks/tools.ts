import { setTimeout as pause } from 'node:timers/promises'
import { defineTaskTool, form, ToolError, urlConsent, WireError } from 'castellan'
import { handleTask, type TaskRunner } from 'castellan/tasks'
import { z } from 'zod'

/** Counts to `steps`; each step takes `ms`. */
export const count = defineTaskTool({
  name: 'count',
  description: 'Counts slowly',
  input: z.object({ steps: z.int().default(3), ms: z.int().default(1) }),
  output: z.object({ counted: z.int() }),
  task: 'optional',
})

export const required = defineTaskTool({ name: 'required', description: 'Only as a task', task: 'required' })

export const fails = defineTaskTool({
  name: 'fails',
  description: 'Fails in one of several ways',
  input: z.object({ how: z.enum(['tool', 'rpc', 'bug', 'schema']) }),
  output: z.object({ ok: z.boolean() }),
  task: 'optional',
})

export const remove = defineTaskTool({
  name: 'remove',
  description: 'Removes a file once that is confirmed',
  input: z.object({ file: z.string() }),
  inputs: {
    confirm: form(z.object({ sure: z.boolean() })),
    note: form(z.object({ why: z.string() })),
    visit: urlConsent(),
  },
  task: 'optional',
})

/** Never ends by itself. */
export const forever = defineTaskTool({
  name: 'forever',
  description: 'Works until it is stopped',
  task: 'required',
})

/** What the handlers of `forever` saw last. */
export interface Seen {
  readonly started: string[]
  readonly aborted: string[]
}

export function taskTools(runner: TaskRunner, seen: Seen = { started: [], aborted: [] }) {
  return [
    handleTask(count, runner, async ({ steps, ms }, { progress, signal }) => {
      for (let step = 1; step <= steps; step++) {
        await progress({ progress: step, total: steps })
        await pause(ms, undefined, { signal })
      }
      return { counted: steps }
    }),
    handleTask(required, runner, (_input, { principal }) => principal?.subject ?? 'nobody'),
    handleTask(fails, runner, ({ how }) => {
      if (how === 'tool') throw new ToolError('The printer is on fire')
      if (how === 'rpc') throw new WireError('ERR_PARAMS', 'Refused on purpose', { why: 'test' })
      if (how === 'bug') throw new Error('a secret detail')
      return { ok: 'no' } as never
    }),
    handleTask(remove, runner, async ({ file }, { input }) => {
      const [sure, note] = await Promise.all([
        input.confirm({ message: `Remove ${file}?` }),
        input.note({ message: 'Why?' }),
      ])
      if (sure.action !== 'accept' || note.action !== 'accept') return 'Kept'
      return sure.content.sure ? `Removed: ${note.content.why}` : 'Kept'
    }),
    handleTask(forever, runner, async (_input, { signal }) => {
      seen.started.push(String(process.pid))
      await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
      seen.aborted.push((signal.reason as Error).message)
      throw signal.reason
    }),
  ]
}
