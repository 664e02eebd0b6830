import type { ResourceContents } from '../../contract/content.js'
import type { PromptDefinition } from '../../contract/prompt.js'
import type { ResourceDefinition, ResourceTemplateDefinition } from '../../contract/resource.js'
import { expandUriTemplate } from '../../contract/uri-template/expansion.js'
import { isJsonObject, type JsonObject } from '../../protocol/json.js'
import { metaKey } from '../../protocol/meta.js'
import type { McpCaller, RequestOptions } from '../caller.js'
import { InvalidArgumentsError } from '../errors.js'
import type { Discovery } from '../listed.js'
import { malformed } from '../reading/member.js'
import { prepared } from '../engine/sender.js'
import type { PromptResult, VariablesFor } from './definitions.js'

/** Sends a request that has to be finished: questions go to the caller's own handlers or are not allowed. */
async function finished(
  caller: McpCaller,
  method: string,
  params: JsonObject,
  options: RequestOptions,
): Promise<JsonObject> {
  const result = await caller.request(method, params, { hostInput: 'automatic', ...options })
  const { resultType = 'complete' } = result
  if (resultType !== 'complete') throw malformed(`${method} was answered with something unfinished`)
  return result
}

/** Reads a resource; a template is filled in first (RFC 6570). */
export async function readContents(
  caller: McpCaller,
  resource: ResourceDefinition | ResourceTemplateDefinition | string,
  variables: VariablesFor<string>,
  options: RequestOptions,
): Promise<readonly ResourceContents[]> {
  const uri = typeof resource === 'string' ? resource : uriOf(resource, variables)
  const { contents } = await finished(caller, 'resources/read', { uri }, options)
  return contents as readonly ResourceContents[]
}

function uriOf(
  resource: ResourceDefinition | ResourceTemplateDefinition,
  variables: VariablesFor<string>,
): string {
  if (resource.kind === 'resource') return resource.uri
  const { template, uriTemplate } = resource
  const uri = prepared(() => expandUriTemplate(uriTemplate, variables))
  if (template.match(uri) !== undefined) return uri
  throw new InvalidArgumentsError([
    { path: '', constraint: 'uriTemplate', message: 'the variables do not fit the template' },
  ])
}

/** Has a prompt filled in; its arguments are checked by its definition and sent as they were written. */
export async function promptOf(
  caller: McpCaller,
  prompt: PromptDefinition | string,
  input: Readonly<Record<string, unknown>>,
  options: RequestOptions,
): Promise<PromptResult> {
  if (typeof prompt !== 'string' && prompt.compiled !== undefined) {
    const parsed = await prompt.compiled.parse(input)
    if (!parsed.ok) {
      throw new InvalidArgumentsError([{ path: '', constraint: 'arguments', message: parsed.issues }])
    }
  }
  const params = { name: typeof prompt === 'string' ? prompt : prompt.name, arguments: input }
  const { description, messages } = await finished(caller, 'prompts/get', params, options)
  return {
    ...(typeof description === 'string' && { description }),
    messages: messages as PromptResult['messages'],
  }
}

/** What the server says of itself; an older one puts its identity at the top. */
export async function discovered(caller: McpCaller, options: RequestOptions): Promise<Discovery> {
  const result = await caller.request('server/discover', {}, options)
  const { supportedVersions, capabilities, instructions, _meta: meta } = result
  const serverInfo = isJsonObject(meta)
    ? (meta[metaKey.serverInfo] ?? result['serverInfo'])
    : result['serverInfo']
  return {
    supportedVersions: supportedVersions as Discovery['supportedVersions'],
    capabilities: capabilities as JsonObject,
    ...(typeof instructions === 'string' && { instructions }),
    ...(isJsonObject(serverInfo) && { serverInfo }),
  }
}
