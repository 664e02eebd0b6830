import { isJsonObject, type JsonObject } from '../../protocol/json.js'
import type { CallerWarning } from '../caller-options.js'
import { readContentBlock, readResourceContents } from './content-block.js'
import { isListMethod, readListPage } from './list-page.js'
import { list, malformed, optionalObject, optionalText } from './member.js'

const checks = new Map<string, (result: JsonObject) => void>([
  ['server/discover', checkDiscovery],
  ['resources/read', checkContents],
  ['prompts/get', checkPrompt],
  ['completion/complete', checkCompletion],
])

/**
 * Checks a complete result by its method and leaves invalid entries out of lists; results of methods not known here
 * pass. Throws `MalformedResponseError`.
 */
export function readResult(
  method: string,
  result: JsonObject,
  warn: (warning: CallerWarning) => void,
): JsonObject {
  optionalObject(result, '_meta', method)
  if (isListMethod(method)) return readListPage(method, result, warn)
  checks.get(method)?.(result)
  return result
}

function checkDiscovery(result: JsonObject): void {
  const versions = list(result, 'supportedVersions', 'server/discover')
  if (!versions.every((version) => typeof version === 'string')) {
    throw malformed('server/discover: `supportedVersions` must be strings')
  }
  if (!isJsonObject(result['capabilities'])) {
    throw malformed('server/discover: `capabilities` must be an object')
  }
  optionalText(result, 'instructions', 'server/discover')
}

function checkContents(result: JsonObject): void {
  for (const [index, contents] of list(result, 'contents', 'resources/read').entries()) {
    readResourceContents(contents, `resources/read: contents[${index}]`)
  }
}

function checkPrompt(result: JsonObject): void {
  optionalText(result, 'description', 'prompts/get')
  for (const [index, message] of list(result, 'messages', 'prompts/get').entries()) {
    const where = `prompts/get: messages[${index}]`
    if (!isJsonObject(message)) throw malformed(`${where} must be an object`)
    if (message['role'] !== 'user' && message['role'] !== 'assistant') {
      throw malformed(`${where}: unknown role`)
    }
    readContentBlock(message['content'], where)
  }
}

function checkCompletion({ completion }: JsonObject): void {
  const where = 'completion/complete'
  if (!isJsonObject(completion)) throw malformed(`${where}: \`completion\` must be an object`)
  const values = list(completion, 'values', where)
  if (!values.every((value) => typeof value === 'string')) {
    throw malformed(`${where}: \`values\` must be strings`)
  }
  const { total, hasMore } = completion
  if (total !== undefined && !Number.isSafeInteger(total))
    throw malformed(`${where}: \`total\` must be a number`)
  if (hasMore !== undefined && typeof hasMore !== 'boolean') {
    throw malformed(`${where}: \`hasMore\` must be true or false`)
  }
}
