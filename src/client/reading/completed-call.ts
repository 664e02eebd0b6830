import type { JsonObject } from '../../protocol/json.js'
import type { CompletedCall } from '../completed-call.js'
import { readContentBlock } from './content-block.js'
import { list, malformed, optionalObject } from './member.js'

/**
 * Reads the result of a finished tool call. Any JSON value, `null` included, is structured content when it is there;
 * text is never parsed for it. Only an older server, which sends no `resultType`, may leave `content` out. Throws
 * `MalformedResponseError` (MCP 2026-07-28, tools, "Tool Result").
 */
export function readCompletedCall(result: JsonObject, where = 'tools/call'): CompletedCall {
  const { isError = false } = result
  if (typeof isError !== 'boolean') throw malformed(`${where}: \`isError\` must be true or false`)
  const hasStructure = Object.hasOwn(result, 'structuredContent')
  const isOlder = result['resultType'] === undefined && result['content'] === undefined && hasStructure
  const blocks = isOlder ? [] : list(result, 'content', where)
  const metadata = optionalObject(result, '_meta', where)
  return {
    status: 'complete',
    content: blocks.map((block, index) => readContentBlock(block, `${where}: content[${index}]`)),
    ...(hasStructure && { structuredContent: result['structuredContent'] }),
    isError,
    ...(metadata !== undefined && { metadata }),
  }
}
