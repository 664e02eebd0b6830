import type { JsonObject } from '../../protocol/json.js'

/** Text from the model of the client. */
export interface Sampling {
  readonly kind: 'sampling'
}

/** What the model is asked (MCP 2026-07-28, sampling, "Creating Messages"). */
export interface SamplingParams {
  readonly messages: readonly { readonly role: 'user' | 'assistant'; readonly content: unknown }[]
  readonly maxTokens: number
  readonly systemPrompt?: string
  readonly temperature?: number
  readonly stopSequences?: readonly string[]
  readonly modelPreferences?: {
    readonly hints?: readonly { readonly name?: string }[]
    readonly costPriority?: number
    readonly speedPriority?: number
    readonly intelligencePriority?: number
  }
  /** Clients that declare `sampling.tools` only. */
  readonly tools?: readonly JsonObject[]
  readonly toolChoice?: { readonly mode: 'auto' | 'required' | 'none' }
}

/** What the model said: as little to be trusted as any text of a client. */
export interface SamplingAnswer {
  readonly role: 'user' | 'assistant'
  readonly content: JsonObject | readonly JsonObject[]
  readonly model: string
  readonly stopReason?: string
}

const request: Sampling = Object.freeze({ kind: 'sampling' })

/**
 * Declares a question to the client's model.
 *
 * @deprecated by MCP 2026-07-28: call the interface of a model yourself.
 */
export function sampling(): Sampling {
  return request
}
