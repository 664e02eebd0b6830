import type { JsonObject } from '../protocol/json.js'

/** A form the server asks the user to fill in: flat properties (MCP 2026-07-28, elicitation). */
export interface FormRequest {
  readonly method: 'elicitation/create'
  readonly params: {
    readonly mode?: 'form'
    readonly message: string
    readonly requestedSchema: JsonObject
  }
}

/** A page the server asks the user to visit. Accepting means consent to open it, never that anything was done there. */
export interface UrlRequest {
  readonly method: 'elicitation/create'
  readonly params: { readonly mode: 'url'; readonly message: string; readonly url: string }
}

export type InputRequest = FormRequest | UrlRequest

export type FormValue = string | number | boolean | readonly string[]

/** The user's answer; `content` only for an accepted form. */
export type InputResponse =
  | { readonly action: 'accept'; readonly content?: Readonly<Record<string, FormValue>> }
  | { readonly action: 'decline' }
  | { readonly action: 'cancel' }
