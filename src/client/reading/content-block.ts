import type { ContentBlock, ResourceContents } from '../../contract/content.js'
import { isJsonObject, type JsonObject } from '../../protocol/json.js'
import { malformed, optionalObject, optionalText, text } from './member.js'

const checks: Readonly<Record<string, (block: JsonObject, where: string) => void>> = {
  text: (block, where) => void text(block, 'text', where),
  image: media,
  audio: media,
  resource_link: (block, where) => {
    for (const member of ['uri', 'name']) text(block, member, where)
    for (const member of ['title', 'description', 'mimeType']) optionalText(block, member, where)
  },
  resource: (block, where) => void readResourceContents(block['resource'], `${where}.resource`),
}

/** Reads one content block and keeps it as it came. Throws `MalformedResponseError` (MCP 2026-07-28, TOOL-30). */
export function readContentBlock(value: unknown, where: string): ContentBlock {
  if (!isJsonObject(value)) throw malformed(`${where}: a content block is an object`)
  const type = text(value, 'type', where)
  const check = Object.hasOwn(checks, type) ? checks[type] : undefined
  if (check === undefined) throw malformed(`${where}: unknown type of content block`)
  check(value, where)
  optionalObject(value, 'annotations', where)
  optionalObject(value, '_meta', where)
  return value as unknown as ContentBlock
}

/** Reads contents of a resource: text or a blob, and a URI. Throws `MalformedResponseError` (RES-4). */
export function readResourceContents(value: unknown, where: string): ResourceContents {
  if (!isJsonObject(value)) throw malformed(`${where}: contents are an object`)
  text(value, 'uri', where)
  optionalText(value, 'mimeType', where)
  optionalObject(value, '_meta', where)
  if (typeof value['text'] === 'string' || typeof value['blob'] === 'string') {
    return value as unknown as ResourceContents
  }
  throw malformed(`${where}: contents need \`text\` or \`blob\``)
}

function media(block: JsonObject, where: string): void {
  text(block, 'data', where)
  text(block, 'mimeType', where)
}
