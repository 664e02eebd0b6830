import type { ResourceContents } from '../../contract/content.js'
import type { PromptDefinition } from '../../contract/prompt.js'
import type { ResourceDefinition, ResourceTemplateDefinition } from '../../contract/resource.js'
import type { ToolDefinition } from '../../contract/tool.js'
import type { CallResponse, McpCaller, RequestOptions, ToolCallOptions } from '../caller.js'
import { listEntries } from '../catalog/list-pages.js'
import type { Discovery, ListedPrompt, ListedResource, ListedTemplate, ListedTool } from '../listed.js'
import type { ListMethod } from '../reading/list-page.js'
import { completeArgument, type Completable, type Suggestions } from './completion.js'
import type {
  ArgumentsFor,
  Optional,
  PromptArguments,
  PromptResult,
  ResultFor,
  VariablesFor,
} from './definitions.js'
import { discovered, promptOf, readContents } from './requests.js'
import { resultOf, sendCall } from './tool-calls.js'

/** A caller's server, by definitions or by name. */
export interface Client extends AsyncDisposable {
  /** The caller underneath, for subscriptions, tasks and methods of extensions. */
  readonly caller: McpCaller
  /**
   * Runs a tool and gives its result: typed by a definition, the whole response by name. Throws `ToolExecutionError`
   * when the tool answers that it failed, and `InvalidArgumentsError` before anything is sent.
   */
  call<Tool extends ToolDefinition | string>(
    tool: Tool,
    ...rest: [...Optional<ArgumentsFor<Tool>>, options?: RequestOptions]
  ): Promise<ResultFor<Tool>>
  /** Runs a tool and gives the exact response: also what the tool failed with, its questions, or a task. */
  callRaw<Tool extends ToolDefinition | string>(
    tool: Tool,
    input: ArgumentsFor<Tool>,
    options?: ToolCallOptions,
  ): Promise<CallResponse>
  /** Reads a resource, a template filled in, or a URI. */
  read<Resource extends ResourceDefinition | ResourceTemplateDefinition | string>(
    resource: Resource,
    ...rest: Resource extends ResourceTemplateDefinition
      ? [variables: VariablesFor<Resource>, options?: RequestOptions]
      : [variables?: undefined, options?: RequestOptions]
  ): Promise<readonly ResourceContents[]>
  prompt<Prompt extends PromptDefinition | string>(
    prompt: Prompt,
    ...rest: [...Optional<PromptArguments<Prompt>>, options?: RequestOptions]
  ): Promise<PromptResult>
  /** Suggests values for one argument of a prompt or one variable of a template; `chosen` are those already there. */
  complete(
    of: Completable,
    argument: string,
    value: string,
    options?: RequestOptions & { readonly chosen?: Readonly<Record<string, string>> },
  ): Promise<Suggestions>
  discover(options?: RequestOptions): Promise<Discovery>
  /** Lists are fetched page by page as the loop goes on; invalid entries are left out. */
  tools(options?: RequestOptions): AsyncIterable<ListedTool>
  resources(options?: RequestOptions): AsyncIterable<ListedResource>
  templates(options?: RequestOptions): AsyncIterable<ListedTemplate>
  prompts(options?: RequestOptions): AsyncIterable<ListedPrompt>
  close(options?: { readonly signal?: AbortSignal }): Promise<void>
}

const mostPages = 1000

/** Makes the calls of one server as plain as functions. */
export function createClient(caller: McpCaller): Client {
  const listed =
    <Entry>(method: ListMethod) =>
    (options: RequestOptions = {}): AsyncIterable<Entry> => {
      const fetch = (cursor: string | undefined) =>
        caller.request(method, cursor === undefined ? {} : { cursor }, options)
      return listEntries<Entry>(method, fetch, mostPages)
    }
  const client: Untyped = {
    caller,
    call: (tool, input, options = {}) => resultOf(caller, tool, input, options),
    callRaw: (tool, input, options = {}) => sendCall(caller, tool, input, options),
    read: (resource, variables = {}, options = {}) => readContents(caller, resource, variables, options),
    prompt: (prompt, input = {}, options = {}) => promptOf(caller, prompt, input, options),
    complete: (of, argument, value, options = {}) => completeArgument(caller, of, argument, value, options),
    discover: (options = {}) => discovered(caller, options),
    tools: listed('tools/list'),
    resources: listed('resources/list'),
    templates: listed('resources/templates/list'),
    prompts: listed('prompts/list'),
    close: (options) => caller.close(options),
    [Symbol.asyncDispose]: () => caller.close(),
  }
  return Object.freeze(client) as unknown as Client
}

/** The same without what definitions promise. */
interface Untyped extends Omit<Client, 'call' | 'read' | 'prompt'> {
  call(tool: ToolDefinition | string, input?: unknown, options?: RequestOptions): Promise<unknown>
  read(
    resource: ResourceDefinition | ResourceTemplateDefinition | string,
    variables?: VariablesFor<string>,
    options?: RequestOptions,
  ): Promise<readonly ResourceContents[]>
  prompt(
    prompt: PromptDefinition | string,
    input?: Readonly<Record<string, unknown>>,
    options?: RequestOptions,
  ): Promise<PromptResult>
}
