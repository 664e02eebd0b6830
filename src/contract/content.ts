import { DefinitionError } from '../errors.js'
import type { Annotations, Icon, Meta } from './presentation.js'
import { isAbsoluteUri } from './uri.js'

/** What may accompany every content block. */
export interface ContentExtras {
  readonly annotations?: Annotations
  readonly _meta?: Meta
}

export interface TextContent extends ContentExtras {
  readonly type: 'text'
  readonly text: string
}

export interface ImageContent extends ContentExtras {
  readonly type: 'image'
  readonly data: string
  readonly mimeType: string
}

export interface AudioContent extends ContentExtras {
  readonly type: 'audio'
  readonly data: string
  readonly mimeType: string
}

export interface ResourceLink extends ContentExtras {
  readonly type: 'resource_link'
  readonly uri: string
  readonly name: string
  readonly title?: string
  readonly description?: string
  readonly mimeType?: string
  readonly size?: number
  readonly icons?: readonly Icon[]
}

export interface TextResourceContents {
  readonly uri: string
  readonly mimeType?: string
  readonly text: string
  readonly _meta?: Meta
}

export interface BlobResourceContents {
  readonly uri: string
  readonly mimeType?: string
  readonly blob: string
  readonly _meta?: Meta
}

/** The contents of a resource: text, or bytes in base64 (MCP 2026-07-28, resources, "Resource Contents"). */
export type ResourceContents = TextResourceContents | BlobResourceContents

export interface EmbeddedResource extends ContentExtras {
  readonly type: 'resource'
  readonly resource: ResourceContents
}

/** A block of a tool result or a prompt message (MCP 2026-07-28, tools, "Tool Result"). */
export type ContentBlock = TextContent | ImageContent | AudioContent | ResourceLink | EmbeddedResource

/** A text block. */
export function text(value: string, extras?: ContentExtras): TextContent {
  return { type: 'text', text: value, ...extras }
}

/** An image block from bytes or base64 text. Throws `ERR_DEFINITION` for text that is not base64 or a bad media type. */
export function image(data: Uint8Array | string, mimeType: string, extras?: ContentExtras): ImageContent {
  return { type: 'image', data: base64(data), mimeType: mediaType(mimeType), ...extras }
}

/** An audio block from bytes or base64 text. Throws `ERR_DEFINITION` for text that is not base64 or a bad media type. */
export function audio(data: Uint8Array | string, mimeType: string, extras?: ContentExtras): AudioContent {
  return { type: 'audio', data: base64(data), mimeType: mediaType(mimeType), ...extras }
}

/** A link to a resource, which need not be listed. Throws `ERR_DEFINITION` for a URI that is not absolute. */
export function resourceLink(link: Omit<ResourceLink, 'type'>): ResourceLink {
  return { type: 'resource_link', ...link, uri: absolute(link.uri) }
}

/** A resource carried inside a result; `blob` is bytes or base64 text. Throws `ERR_DEFINITION` for a bad URI or blob. */
export function embeddedResource(
  resource:
    TextResourceContents | (Omit<BlobResourceContents, 'blob'> & { readonly blob: Uint8Array | string }),
  extras?: ContentExtras,
): EmbeddedResource {
  absolute(resource.uri)
  const contents = 'blob' in resource ? { ...resource, blob: base64(resource.blob) } : resource
  return { type: 'resource', resource: contents, ...extras }
}

const alphabet = /^[A-Za-z0-9+/]*={0,2}$/
const mediaTypeSyntax = /^[\w.+-]+\/[\w.+-]+(?:\s*;.*)?$/

/** Base64 of bytes; text is checked and kept. */
function base64(data: Uint8Array | string): string {
  if (typeof data === 'string') {
    if (data.length % 4 === 0 && alphabet.test(data)) return data
    throw new DefinitionError('Content data is not base64; pass bytes as a Uint8Array')
  }
  let binary = ''
  for (let at = 0; at < data.length; at += 0x8000) {
    binary += String.fromCharCode(...data.subarray(at, at + 0x8000))
  }
  return btoa(binary)
}

function mediaType(value: string): string {
  if (mediaTypeSyntax.test(value)) return value
  throw new DefinitionError(`${JSON.stringify(value)} is not a media type`)
}

function absolute(uri: string): string {
  if (isAbsoluteUri(uri)) return uri
  throw new DefinitionError(`${JSON.stringify(uri)} is not an absolute URI`)
}
