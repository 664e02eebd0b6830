import type { ContentBlock } from '../contract/content.js'
import type { Meta } from '../contract/presentation.js'

/** A finished call. `structuredContent` is absent, not undefined, when the tool gave none; text is never parsed for it. */
export interface CompletedCall {
  readonly status: 'complete'
  readonly content: readonly ContentBlock[]
  readonly structuredContent?: unknown
  readonly isError: boolean
  readonly metadata?: Meta
}
