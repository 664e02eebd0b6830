import { setTimeout as pause } from 'node:timers/promises'
import { defineResourceTemplate, defineTaskTool, defineTool, form, urlConsent } from 'castellan'
import { handle, type Changes } from 'castellan/fastify'
import { handleTask, type TaskContext, type TaskRunner } from 'castellan/tasks'
import { z } from 'zod'

const scopes = ['orders'] as const

/** Asks twice, and says who took which round. */
export const reserve = defineTool({
  name: 'reserve',
  description: 'Reserves seats after two questions',
  input: z.object({ flow: z.string() }),
  output: z.object({ flow: z.string(), user: z.string(), seats: z.int(), processes: z.array(z.int()) }),
  inputs: { seats: form(z.object({ seats: z.int() })), deposit: urlConsent() },
  scopes,
})

/** Tells the owner of an order, and nobody else, that it has changed. */
export const touch = defineTool({ name: 'touch', description: 'Changes the own order', scopes })

const work = {
  description: 'Works, asks how to go on, and works on',
  input: z.object({ flow: z.string(), ms: z.int() }),
  output: z.object({ flow: z.string(), user: z.string(), seats: z.int() }),
  inputs: { seats: form(z.object({ seats: z.int() })) },
  scopes,
  task: 'required',
} as const
export const restarted = defineTaskTool({ ...work, name: 'restarted' })
export const failing = defineTaskTool({ ...work, name: 'failing' })

/** Is never done, only cancelled. */
export const endless = defineTaskTool({
  ...{ name: 'endless', description: 'Works until it is cancelled', scopes, task: 'required' },
})

type WorkContext = Pick<TaskContext<typeof restarted>, 'principal' | 'signal' | 'input' | 'progress'>

export const orderOf = (user: string) => `shop://orders/${user}`

const order = handle(
  defineResourceTemplate({ uriTemplate: 'shop://orders/{user}', name: 'order', scopes }),
  ({ user }, { principal }) => (user === principal.subject ? `The order of ${user}` : undefined),
)

/** What every instance serves. */
export function shop(runner: TaskRunner, changes: Changes) {
  const works = async (
    { flow, ms }: { flow: string; ms: number },
    { principal, signal, input, progress }: WorkContext,
  ) => {
    await pause(ms, undefined, { signal })
    await progress({ progress: 1, total: 2 })
    const answer = await input.seats({ message: flow })
    await pause(ms, undefined, { signal })
    return { flow, user: principal.subject, seats: answer.action === 'accept' ? answer.content.seats : -1 }
  }
  const tools = [
    handle(reserve, async ({ flow }, { principal, input }) => {
      const processes = [...z.array(z.int()).default([]).parse(input.state.get()), process.pid]
      input.state.set(processes)
      const seats = await input.seats({ message: flow })
      const deposit = await input.deposit({ message: flow, url: `https://pay.example.com/${flow}` })
      const isAgreed = seats.action === 'accept' && deposit.action === 'accept'
      return { flow, user: principal.subject, seats: isAgreed ? seats.content.seats : -1, processes }
    }),
    handle(touch, async (_input, { principal }) => {
      await changes.resourceUpdated(orderOf(principal.subject), { to: principal })
      return 'told'
    }),
    handleTask(restarted, runner, works, { onStalled: 'restart' }),
    handleTask(failing, runner, works, { onStalled: 'fail' }),
    handleTask(
      endless,
      runner,
      async (_input, { signal }) => {
        await pause(2 ** 30, undefined, { signal })
        return 'never'
      },
      { onStalled: 'restart' },
    ),
  ]
  return { tools, resources: [order] }
}
