export { httpCaller } from './http/http-caller.js'
export type { HttpCallerOptions } from './http/http-caller.js'
export { localCaller } from './local/local-caller.js'
export type { LocalCallerOptions } from './local/local-caller.js'
export { stdioCaller } from './stdio/stdio-caller.js'
export type { StdioCallerOptions } from './stdio/stdio-caller.js'
export type { RouteOf } from './http/http-address.js'
export { createClient } from './typed/client.js'
export type { Client } from './typed/client.js'
export type { Completable, Suggestions } from './typed/completion.js'
export type {
  ArgumentsFor,
  PromptArguments,
  PromptResult,
  ResultFor,
  VariablesFor,
} from './typed/definitions.js'
export { externalTool } from './external-tool.js'
export type { ExternalToolOptions } from './external-tool.js'
export { waitForTask } from './wait-for-task.js'
export type { WaitForTaskOptions } from './wait-for-task.js'
export type {
  Caller,
  CallRequest,
  CallResponse,
  Continuation,
  InputRequiredCall,
  KnownTool,
  ListenOptions,
  McpCaller,
  MethodOptions,
  ProgressUpdate,
  RequestOptions,
  TaskCall,
  ToolCallOptions,
} from './caller.js'
export type {
  CallerLimits,
  CallerOptions,
  CallerWarning,
  InputContext,
  InputHandler,
  InputHandlers,
  InputSupport,
  RetryPolicy,
} from './caller-options.js'
export type { Implementation } from '../contract/implementation.js'
export type { CompletedCall } from './completed-call.js'
export type { FormRequest, FormValue, InputRequest, InputResponse, UrlRequest } from './input.js'
export type { Discovery, ListedPrompt, ListedResource, ListedTemplate, ListedTool } from './listed.js'
export type { SubscriptionEvent, SubscriptionFilter } from './subscription.js'
export type { Task } from './task.js'
export {
  ConnectionLostError,
  HttpResponseError,
  InternalClientError,
  InvalidArgumentsError,
  MalformedResponseError,
  OutcomeUnknownError,
  RpcError,
  SubscriptionCancelledError,
  ToolExecutionError,
} from './errors.js'
export type { ArgumentIssue, CallError, CallErrorKind } from './errors.js'
