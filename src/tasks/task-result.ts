import type { ToolDefinition } from '../contract/tool.js'
import { ToolError } from '../errors.js'
import { modern } from '../protocol/2026-07-28/revision.js'
import type { JsonObject } from '../protocol/json.js'
import { failedOutcome, outcome } from '../server/tools.js'

/** What the call would have been answered with. Throws `TypeError` for what the output schema refuses. */
export async function taskResult(definition: ToolDefinition, returned: unknown): Promise<JsonObject> {
  const told =
    returned instanceof ToolError ? failedOutcome(returned.message) : await outcome(definition, returned)
  const { members, meta } = modern.toolResult(told, false)
  const result = JSON.parse(`{"resultType":"complete",${members}}`) as JsonObject
  return meta === undefined ? result : { ...result, _meta: meta }
}
