import {
  executeToolCall,
  modelContent,
  modelToolsAfter,
  parseSuspendedCall,
  resumeCall,
  toolRequestFromModelCall,
  withCorrection,
  type Answers,
  type FailedTool,
  type ModelCall,
  type RunLimits,
  type SuspendedCall,
  type SuspendedCallStore,
  type ToolCall,
  type ToolFailure,
  type ToolOutcome,
  type Toolset,
} from 'castellan/agent'
import type { Model } from './scripted-model.js'

export type Message =
  | { readonly role: 'user'; readonly text: string }
  | { readonly role: 'model'; readonly calls: readonly ModelCall[] }
  | { readonly role: 'tool'; readonly callId: string; readonly result: unknown }

/** Where a run stands: over, or waiting for the user with all it needs to go on, as text. */
export type Standing =
  | { readonly status: 'done'; readonly text: string; readonly history: readonly Message[] }
  | { readonly status: 'waiting'; readonly asked: SuspendedCall['pending']; readonly saved: string }

/** What a process brings to a run. */
export interface Agent {
  readonly model: Model
  readonly toolset: Toolset
  readonly store: SuspendedCallStore
  readonly limits: RunLimits
}

/** What is kept while a question is open: the talk so far and the call that waits. */
interface Saved {
  readonly history: readonly Message[]
  readonly suspended: string
}

/** Runs an agent from the user's words until it is done or has a question. One call per turn keeps it short. */
export function startRun(agent: Agent, text: string): Promise<Standing> {
  return turns(agent, [{ role: 'user', text }], [])
}

/** Goes on from what another process saved. */
export async function goOn(agent: Agent, saved: string, responses: Answers): Promise<Standing> {
  const { history, suspended } = JSON.parse(saved) as Saved
  const record = parseSuspendedCall(suspended)
  const { store, limits } = agent
  const outcome = await resumeCall(agent.toolset, record, { responses }, { store, signal: limits.signal })
  return settle(agent, history, record.providerCallId ?? '', record.tool, outcome)
}

async function turns(
  agent: Agent,
  history: readonly Message[],
  failed: readonly FailedTool[],
): Promise<Standing> {
  const { model, toolset } = agent
  const decision = model(history, modelToolsAfter(toolset, failed))
  if ('text' in decision) return { status: 'done', text: decision.text, history }
  const [call] = decision.calls
  if (call === undefined) throw new Error('The model decided nothing')
  const next: readonly Message[] = [...history, { role: 'model', calls: [call] }]
  const planned = await plan(agent, call)
  if ('recovery' in planned)
    return settle(agent, next, call.id, call.name, { status: 'failed', failure: planned })
  const outcome = await execute(agent, planned)
  return settle(agent, next, call.id, planned.tool, outcome)
}

async function plan({ toolset, limits }: Agent, call: ModelCall): Promise<ToolCall | ToolFailure> {
  const request = await toolRequestFromModelCall(toolset, call)
  if ('recovery' in request) return request
  const planned = limits.plan([request])
  if ('recovery' in planned) return planned
  const [only] = planned
  if (only === undefined) throw new Error('One request makes one call')
  return only
}

async function execute({ toolset, limits, store }: Agent, call: ToolCall): Promise<ToolOutcome> {
  const outcome = await executeToolCall(toolset, call, { signal: limits.signal, store })
  if (outcome.status !== 'failed') return outcome
  return { status: 'failed', failure: withCorrection(toolset, call, outcome.failure) }
}

/** Tells the model what is finished, and nothing of what is not. */
function settle(
  agent: Agent,
  history: readonly Message[],
  callId: string,
  tool: string,
  outcome: ToolOutcome,
): Promise<Standing> {
  if (outcome.status === 'suspended') {
    const { suspended } = outcome
    const saved = JSON.stringify({ history, suspended: JSON.stringify(suspended) } satisfies Saved)
    return Promise.resolve({ status: 'waiting', asked: suspended.pending, saved })
  }
  const result = outcome.status === 'ok' ? modelContent(outcome) : outcome.failure
  const failed = outcome.status === 'failed' ? [{ tool, failure: outcome.failure }] : []
  return turns(agent, [...history, { role: 'tool', callId, result }], failed)
}
