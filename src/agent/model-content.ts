import type { ContentBlock } from '../contract/content.js'
import type { CompletedCall } from '../client/completed-call.js'
import type { CallSucceeded } from './outcome.js'

/** A result as a model sees it: the structured value, when there is one, and the blocks that accompany it. */
export interface ModelContent {
  readonly value?: unknown
  readonly content: readonly ContentBlock[]
}

/** What of a result is for the model: no blocks meant for the user alone, no icons, no `_meta`. */
export function modelContent(response: CompletedCall | CallSucceeded): ModelContent {
  const content = blocksForModel(response.content)
  if (response.status === 'ok') return 'value' in response ? { value: response.value, content } : { content }
  return 'structuredContent' in response ? { value: response.structuredContent, content } : { content }
}

/** The blocks for the model, each kept apart and in order. */
export function blocksForModel(blocks: readonly ContentBlock[]): readonly ContentBlock[] {
  return blocks.filter((block) => !forUserAlone(block)).map(bare)
}

function forUserAlone({ annotations }: ContentBlock): boolean {
  const audience = annotations?.audience
  return Array.isArray(audience) && audience.includes('user') && !audience.includes('assistant')
}

function bare(block: ContentBlock): ContentBlock {
  const shown = without(block, ['_meta', 'icons'])
  return shown.type === 'resource' ? { ...shown, resource: without(shown.resource, ['_meta']) } : shown
}

function without<T extends object>(value: T, keys: readonly string[]): T {
  return Object.fromEntries(Object.entries(value).filter(([key]) => !keys.includes(key))) as T
}
