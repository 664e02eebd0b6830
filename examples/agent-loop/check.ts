import assert from 'node:assert/strict'
import {
  mcpToolset,
  memorySuspendedCallStore,
  parseSuspendedCall,
  resumeCall,
  runLimits,
  type SuspendedCallStore,
} from 'castellan/agent'
import { goOn, startRun, type Agent, type Message } from './loop.js'
import { restaurantCaller, type Restaurant } from './restaurant.js'
import { scriptedModel, type Decision } from './scripted-model.js'
import { bookTable, checkWeather, orderFlowers } from './tools.js'

const day = '2026-08-22'
const all = ['book_table', 'check_weather', 'order_flowers']
const calls = (id: string, name: string, input: unknown): Decision => ({ calls: [{ id, name, input }] })

/** What the tool told the model in the last message. */
function told(message: Message | undefined): any {
  assert.equal(message?.role, 'tool')
  return message.result
}

const model = scriptedModel([
  (_last, tools) => {
    assert.deepEqual(tools, all)
    return calls('c1', 'check_weather', { day })
  },
  (last, tools) => {
    assert.deepEqual(told(last), {
      kind: 'domain_rejection',
      message: 'No forecast for that day yet',
      recovery: { action: 'replan' },
    })
    assert.deepEqual(tools, ['book_table', 'order_flowers'])
    return calls('c2', 'book_table', { day, guests: 'four' })
  },
  (last, tools) => {
    const { kind, recovery } = told(last)
    assert.equal(kind, 'invalid_call')
    assert.equal(recovery.action, 'correct_call')
    assert.deepEqual(recovery.issues[0].path, ['guests'])
    assert.deepEqual(tools, all)
    return calls('c3', 'book_table', { ...recovery.priorInput, guests: 4 })
  },
  (last) => {
    const { value, content } = told(last)
    assert.deepEqual(content, [{ type: 'text', text: 'Booked for 20:00' }])
    return calls('c4', 'order_flowers', { reference: value.reference })
  },
  (last, tools) => {
    assert.equal(told(last).recovery.action, 'finish')
    assert.deepEqual(tools, [])
    return { text: 'Booked. Whether flowers will be there, nobody knows.' }
  },
])

/** Everything a process makes anew; only the store outlives it. */
function newProcess(restaurant: Restaurant, store: SuspendedCallStore): Agent {
  const caller = restaurantCaller(restaurant)
  const toolset = mcpToolset({ name: 'restaurant', tools: [bookTable, checkWeather, orderFlowers], caller })
  return { model, toolset, store, limits: runLimits({ maxToolCalls: 8, timeBudgetMs: 120_000 }) }
}

/** Tells the story of one run that is interrupted by a question, and throws at the first difference. */
export async function check(): Promise<void> {
  const restaurant: Restaurant = { bookings: [], flowers: 0 }
  const store = memorySuspendedCallStore()
  const first = await startRun(newProcess(restaurant, store), 'A table for four on Saturday, with flowers')
  assert.ok(first.status === 'waiting')
  assert.ok(first.asked.kind === 'input')
  assert.deepEqual(Object.keys(first.asked.requests), ['time'])
  assert.deepEqual(restaurant.bookings, [])

  const answers = { time: { action: 'accept', content: { time: '20:00' } } } as const
  const second = await goOn(newProcess(restaurant, store), first.saved, answers)
  assert.ok(second.status === 'done')
  assert.match(second.text, /^Booked/)
  assert.deepEqual(
    second.history.map(({ role }) => role),
    ['user', ...Array.from({ length: 4 }, () => ['model', 'tool']).flat()],
  )

  const { suspended } = JSON.parse(first.saved) as { suspended: string }
  const { toolset } = newProcess(restaurant, store)
  const duplicate = await resumeCall(
    toolset,
    parseSuspendedCall(suspended),
    { responses: answers },
    { store },
  )
  assert.deepEqual(duplicate.status === 'ok' && duplicate.value, { reference: 'T1', time: '20:00' })
  assert.deepEqual(restaurant, { bookings: [{ day, guests: 4, time: '20:00' }], flowers: 1 })
}
