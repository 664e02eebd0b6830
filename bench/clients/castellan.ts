import { defineTool } from 'castellan'
import { createClient, httpCaller, type ToolCallOptions } from 'castellan/client'
import { z } from 'zod'
import { serverInfo } from '../workload.js'
import type { Call, Connect } from './connect.js'

const shape = z.object({ text: z.string() })
const echo = defineTool({ name: 'echo', description: 'Says it again', input: shape, output: shape })

/** `known`: nothing is looked up; `listed`: schemas of the server's list; `typed`: those of a definition. */
export const connect: Connect = (endpoint, [way]) => {
  const caller = httpCaller({ endpoint, clientInfo: serverInfo })
  if (way === 'typed') {
    const client = createClient(caller)
    return async (input) => (await client.call(echo, input)).text
  }
  return toolCall(caller, way === 'known' ? { known: { parameters: [] } } : {})
}

function toolCall(caller: ReturnType<typeof httpCaller>, options: ToolCallOptions): Call {
  return async (input) => {
    const response = await caller.callTool({ tool: 'echo', arguments: { ...input } }, options)
    if (response.status !== 'complete') return undefined
    return (response.structuredContent as { readonly text?: unknown } | undefined)?.text
  }
}
