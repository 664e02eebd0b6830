import type { Annotations, Icon, Meta, ToolAnnotations } from '../contract/presentation.js'
import type { JsonObject } from '../protocol/json.js'

interface Listed {
  readonly name: string
  readonly title?: string
  readonly description?: string
  readonly icons?: readonly Icon[]
  readonly _meta?: Meta
}

/** A tool as its server lists it, with every keyword of its schemas in place. */
export interface ListedTool extends Listed {
  readonly inputSchema: JsonObject
  readonly outputSchema?: JsonObject
  /** Hints, believed only of a server the host trusts. */
  readonly annotations?: ToolAnnotations
}

/** A resource as its server lists it. */
export interface ListedResource extends Listed {
  readonly uri: string
  readonly mimeType?: string
  /** In bytes, before any encoding. */
  readonly size?: number
  readonly annotations?: Annotations
}

/** A family of resources as its server lists it. */
export interface ListedTemplate extends Listed {
  readonly uriTemplate: string
  readonly mimeType?: string
  readonly annotations?: Annotations
}

/** A prompt as its server lists it. */
export interface ListedPrompt extends Listed {
  readonly arguments?: readonly {
    readonly name: string
    readonly title?: string
    readonly description?: string
    readonly required?: boolean
  }[]
}

/** What a server says of itself (MCP 2026-07-28, "server/discover"). */
export interface Discovery {
  readonly supportedVersions: readonly string[]
  readonly capabilities: JsonObject
  readonly instructions?: string
  /** Unverified, for display only. */
  readonly serverInfo?: JsonObject
}
