import type { PromptDefinition } from '../../contract/prompt.js'
import type { ResourceTemplateDefinition } from '../../contract/resource.js'
import type { McpCaller, RequestOptions } from '../caller.js'

/** What has arguments to complete: a prompt or a template, as defined or by name. */
export type Completable =
  | PromptDefinition
  | ResourceTemplateDefinition
  | { readonly prompt: string }
  | { readonly uriTemplate: string }

/** Suggestions, best first; `total` counts all there are. */
export interface Suggestions {
  readonly values: readonly string[]
  readonly total?: number
  readonly hasMore?: boolean
}

/** Asks for suggestions (MCP 2026-07-28, completion, CMP-2). */
export async function completeArgument(
  caller: McpCaller,
  of: Completable,
  argument: string,
  value: string,
  { chosen, ...options }: RequestOptions & { readonly chosen?: Readonly<Record<string, string>> },
): Promise<Suggestions> {
  const ref = reference(of)
  const context = chosen === undefined ? {} : { context: { arguments: chosen } }
  const params = { ref, argument: { name: argument, value }, ...context }
  const { completion } = await caller.request('completion/complete', params, options)
  return completion as Suggestions
}

function reference(of: Completable) {
  if ('uriTemplate' in of) return { type: 'ref/resource', uri: of.uriTemplate }
  return { type: 'ref/prompt', name: 'prompt' in of ? of.prompt : of.name }
}
