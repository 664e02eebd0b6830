import { DefinitionError } from '../errors.js'
import { metaKeyProblem } from '../protocol/meta.js'

/** An image a client may show; `src` is an https or data URI (MCP 2026-07-28, basic, "Icons"). */
export interface Icon {
  readonly src: string
  readonly mimeType?: string
  readonly sizes?: readonly string[]
  readonly theme?: 'light' | 'dark'
}

/** Hints about content: whom it is for, how important it is (0–1), when it changed (ISO 8601). */
export interface Annotations {
  readonly audience?: readonly ('user' | 'assistant')[]
  readonly priority?: number
  readonly lastModified?: string
}

/** Hints about a tool; unset ones are not sent (MCP 2026-07-28, schema, "ToolAnnotations"). */
export interface ToolAnnotations {
  readonly title?: string
  readonly readOnlyHint?: boolean
  readonly destructiveHint?: boolean
  readonly idempotentHint?: boolean
  readonly openWorldHint?: boolean
}

/** Values under reverse-DNS keys, sent as `_meta`. */
export type Meta = Readonly<Record<string, unknown>>

/** What every listed thing may show. */
export interface Presentation {
  readonly title?: string
  readonly description?: string
  readonly icons?: readonly Icon[]
  readonly meta?: Meta
}

const iconSource = /^(?:https:\/\/|data:image\/)/i

/** Refuses icons that are not https or data URIs and reserved `_meta` keys. Throws `ERR_DEFINITION`. */
export function checkPresentation(where: string, { icons = [], meta = {} }: Presentation): void {
  for (const { src } of icons) {
    if (!iconSource.test(src)) throw new DefinitionError(`${where}: an icon must be an https or data URI`)
  }
  for (const key of Object.keys(meta)) {
    const problem = metaKeyProblem(key)
    if (problem !== undefined) throw new DefinitionError(`${where}: ${problem}`)
  }
}

/** The members a listing shares across kinds; absent ones are left out when it is written. */
export function presented({ title, description, icons, meta }: Presentation): Record<string, unknown> {
  return { title, description, icons, _meta: meta }
}
