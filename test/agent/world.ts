import { z } from 'zod'
import { defineTool } from '../../src/index.js'
import {
  executeToolCall,
  mcpToolset,
  memorySuspendedCallStore,
  planCalls,
  toolRequest,
} from '../../src/agent/index.js'
import type { CallOptions, SuspendedCall, ToolCall, Toolset } from '../../src/agent/index.js'
import { scriptedCaller, type Script, type ScriptedCaller } from './scripted-caller.js'

export const addNote = defineTool({
  name: 'notes.add',
  description: 'Add a note',
  input: z.object({ text: z.string().min(1), tags: z.array(z.string()).default([]) }),
  output: z.object({ id: z.string() }),
})

export interface World {
  readonly caller: ScriptedCaller
  readonly toolset: Toolset
  readonly call: ToolCall
  readonly store: ReturnType<typeof memorySuspendedCallStore>
}

/** One tool, one planned call of it and a caller that answers by a script. */
export async function world(script: Script): Promise<World> {
  const caller = scriptedCaller(script)
  const toolset = mcpToolset({ name: 'notes', tools: [addNote], caller })
  const [call] = planCalls([await toolRequest(addNote, { text: 'milk' })])
  return { caller, toolset, call: call!, store: memorySuspendedCallStore() }
}

/** Runs the call and gives the record it leaves behind. */
export async function suspend(
  { toolset, call, store }: World,
  options: CallOptions = { taskSupport: true },
): Promise<SuspendedCall> {
  const outcome = await executeToolCall(toolset, call, { ...options, store })
  if (outcome.status !== 'suspended') throw new Error(`It is ${JSON.stringify(outcome)}`)
  return outcome.suspended
}

/** Waits no time at all and counts. */
export function countedPause() {
  const waited: number[] = []
  const pause = async (milliseconds: number, signal: AbortSignal | undefined) => {
    signal?.throwIfAborted()
    waited.push(milliseconds)
  }
  return { waited, pause }
}
