import type { ContentBlock } from './content.js'
import type { Meta } from './presentation.js'

const marker: unique symbol = Symbol('castellan.result')

/** A handler's value with chosen content or metadata beside it; made by `result`. */
export interface ToolResult<Value> {
  readonly [marker]: true
  readonly value: Value
  readonly content?: readonly ContentBlock[]
  readonly metadata?: Meta
}

/**
 * Returns a value together with content blocks for people and models, and metadata for the client (`_meta`).
 * MCP 2026-07-28, tools, "Structured Content".
 */
export function result<Value>(
  value: Value,
  extras: { readonly content?: readonly ContentBlock[]; readonly metadata?: Meta } = {},
): ToolResult<Value> {
  return { [marker]: true, value, ...extras }
}

export function isToolResult(value: unknown): value is ToolResult<unknown> {
  return typeof value === 'object' && value !== null && marker in value
}
