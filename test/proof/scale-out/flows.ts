import assert from 'node:assert/strict'
import {
  createClient,
  httpCaller,
  waitForTask,
  ConnectionLostError,
  OutcomeUnknownError,
  type Client,
  type InputHandlers,
  type Task,
} from 'castellan/client'
import { endless, failing, orderOf, reserve, restarted, touch } from './tools.js'

export const kinds = ['questions', 'changes', 'restarted task', 'failing task', 'cancelled task'] as const
export type FlowKind = (typeof kinds)[number]

export interface Flow {
  readonly kind: FlowKind
  readonly id: string
  readonly user: string
  /** All users, so that a stream can ask for what is not its own. */
  readonly users: readonly string[]
  readonly seats: number
  readonly endpoint: string
  readonly token: string
  /** A task of somebody else, once there is one. */
  readonly foreignTask: string | undefined
  /** Ends what would last for ever. */
  readonly signal: AbortSignal
  /** Told of every task. */
  readonly created: (taskId: string) => void
  /** Told of every answer that was lost; throws where none may be. */
  readonly lost: (error: unknown) => void
}

/** How a flow ended; anything else is thrown. */
export type Ending = 'done' | 'crossed' | 'failed with a reason' | 'unknown'

const flows: Readonly<Record<FlowKind, (client: Client, flow: Flow) => Promise<Ending>>> = {
  questions: async (client, flow) => {
    const { id, signal } = flow
    const { processes, ...rest } = await client.call(reserve, { flow: id }, { signal })
    assert.deepEqual(rest, { flow: id, user: flow.user, seats: flow.seats })
    return new Set(processes).size > 1 ? 'crossed' : 'done'
  },
  changes: (client, flow) => followOrder(client, flow),
  'restarted task': (client, flow) => task(client, flow, restarted),
  'failing task': (client, flow) => task(client, flow, failing),
  'cancelled task': cancelled,
}

/** Runs one flow of one user to its end. A first call whose answer was lost ends it as unknown. */
export async function run(flow: Flow): Promise<Ending> {
  const { id, seats, token, endpoint } = flow
  const onInput: InputHandlers = {
    form({ params }) {
      assert.equal(params.message, id)
      return { action: 'accept', content: { seats } }
    },
    url({ params }) {
      assert.equal(params.url, `https://pay.example.com/${id}`)
      return { action: 'accept' }
    },
  }
  const withToken: typeof fetch = async (input, init) => {
    const headers = new Headers(init?.headers)
    headers.set('authorization', `Bearer ${token}`)
    return fetch(input, { ...init, headers })
  }
  const clientInfo = { name: 'proof', version: '1.0.0' }
  await using client = createClient(httpCaller({ clientInfo, endpoint, fetch: withToken, onInput }))
  try {
    return await flows[flow.kind](client, flow)
  } catch (error) {
    lostOrThrow(flow, error)
    return 'unknown'
  }
}

/** Follows all orders, changes the own one until that is heard, and hears of no other. */
async function followOrder(client: Client, flow: Flow): Promise<Ending> {
  const filter = { resourceSubscriptions: flow.users.map(orderOf) }
  for (;;) {
    let isHeard = false
    try {
      for await (const event of client.caller.subscribe(filter, flow)) {
        if (event.kind === 'acknowledged') await client.call(touch, {}, flow)
        else {
          assert.deepEqual(event, { kind: 'resource_updated', uri: orderOf(flow.user) })
          isHeard = true
          break
        }
      }
      if (isHeard) return 'done'
      throw new ConnectionLostError('The stream was completed')
    } catch (error) {
      lostOrThrow(flow, error)
    }
  }
}

async function create(
  client: Client,
  { created, signal, id }: Flow,
  tool: typeof restarted | typeof failing | typeof endless,
): Promise<string> {
  const input = { flow: id, ms: 100 + Math.floor(Math.random() * 200) }
  const response =
    tool === endless
      ? await client.callRaw(endless, {}, { taskSupport: true, signal })
      : await client.callRaw(tool as typeof restarted, input, { taskSupport: true, signal })
  assert(response.status === 'task')
  created(response.task.taskId)
  return response.task.taskId
}

async function task(client: Client, flow: Flow, tool: typeof restarted | typeof failing): Promise<Ending> {
  const taskId = await create(client, flow, tool)
  const [ended] = await Promise.all([finished(client, flow, taskId), followTask(client, flow, taskId)])
  if (ended.status === 'failed') return failure(flow, ended)
  assert.equal(ended.status, 'completed')
  assert.deepEqual(ended.result.structuredContent, { flow: flow.id, user: flow.user, seats: flow.seats })
  return 'done'
}

/** Polls, answers, and begins to wait anew when an answer was lost. */
async function finished(client: Client, flow: Flow, taskId: string): Promise<Task> {
  const onInput: InputHandlers = {
    form: ({ params }) => {
      assert.equal(params.message, flow.id)
      return { action: 'accept', content: { seats: flow.seats } }
    },
  }
  for (;;) {
    try {
      return await waitForTask(client.caller, taskId, { signal: flow.signal, onInput })
    } catch (error) {
      lostOrThrow(flow, error)
    }
  }
}

/** Hears the own task to its end, also when it asks for another's, which it must not hear of. */
async function followTask(client: Client, flow: Flow, taskId: string): Promise<void> {
  const { foreignTask, signal } = flow
  const taskIds = foreignTask === undefined ? [taskId] : [taskId, foreignTask]
  for (;;) {
    try {
      for await (const event of client.caller.subscribe({ taskIds }, { signal })) {
        if (event.kind === 'acknowledged') {
          assert.deepEqual(event.filter, { taskIds: [taskId] })
          if (isEnded(await client.caller.getTask(taskId, { signal }))) return
        } else {
          assert(event.kind === 'task_changed')
          assert.equal(event.task.taskId, taskId)
          if (isEnded(event.task)) return
        }
      }
      throw new ConnectionLostError('The stream was completed')
    } catch (error) {
      lostOrThrow(flow, error)
    }
  }
}

async function cancelled(client: Client, flow: Flow): Promise<Ending> {
  const taskId = await create(client, flow, endless)
  for (;;) {
    try {
      await client.caller.cancelTask(taskId, flow)
      const ended = await waitForTask(client.caller, taskId, flow)
      if (ended.status === 'failed') return failure(flow, ended)
      assert.equal(ended.status, 'cancelled')
      return 'done'
    } catch (error) {
      lostOrThrow(flow, error)
    }
  }
}

function isEnded({ status }: Task): boolean {
  return status !== 'working' && status !== 'input_required'
}

function failure({ kind }: Flow, { error }: Task & { readonly status: 'failed' }): Ending {
  assert.ok(error.message.length > 0, `${kind}: failed without a reason`)
  return 'failed with a reason'
}

/** Only an answer that was honestly reported as lost is borne. */
function lostOrThrow({ lost }: Flow, error: unknown): void {
  if (!(error instanceof OutcomeUnknownError || error instanceof ConnectionLostError)) throw error
  lost(error)
}
