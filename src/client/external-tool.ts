import { defineTool, type ToolDefinition } from '../contract/tool.js'
import type { Schema } from '../contract/schema/json-schema.js'
import type { ToolAnnotations } from '../contract/presentation.js'

export interface ExternalToolOptions<
  Name extends string,
  Input extends Schema | undefined,
  Output extends Schema | undefined,
> {
  readonly name: Name
  /** The arguments this host sends; left out, none. */
  readonly input?: Input
  /** What this host relies on in the structured content; left out, the content blocks are the answer. */
  readonly output?: Output
  /** What this host knows of the tool, such as that it only reads. */
  readonly annotations?: ToolAnnotations
}

/**
 * Describes a tool of a server somebody else wrote, so that calls of it are typed and checked like our own. The schemas
 * are this host's view: `input` may send less than the tool takes, `output` may rely on less than it gives. Throws
 * `ERR_DEFINITION`.
 */
export function externalTool<
  const Name extends string,
  Input extends Schema | undefined = undefined,
  Output extends Schema | undefined = undefined,
>(
  options: ExternalToolOptions<Name, Input, Output>,
): ToolDefinition<Name, Input, Output, undefined, undefined> {
  return defineTool({ ...options, description: 'A tool of another server' })
}
