export { defineTool } from './contract/tool.js'
export type { ToolDefinition, ToolHandler, ToolOptions, ToolReturn } from './contract/tool.js'
export { defineTaskTool } from './contract/task-tool.js'
export type { TaskInputs, TaskToolDefinition, TaskToolOptions } from './contract/task-tool.js'
export { defineResource, defineResourceTemplate } from './contract/resource.js'
export type { ResourceDefinition, ResourceOptions, ResourceTemplateDefinition } from './contract/resource.js'
export { definePrompt, user, assistant } from './contract/prompt.js'
export type { PromptDefinition, PromptMessage, PromptOptions } from './contract/prompt.js'
export { text, image, audio, resourceLink, embeddedResource } from './contract/content.js'
export type {
  AudioContent,
  BlobResourceContents,
  ContentBlock,
  EmbeddedResource,
  ImageContent,
  ResourceContents,
  ResourceLink,
  TextContent,
  TextResourceContents,
} from './contract/content.js'
export { result } from './contract/result.js'
export type { ToolResult } from './contract/result.js'
export { form } from './contract/input/form.js'
export type { Form, FormAnswer } from './contract/input/form.js'
export { urlConsent } from './contract/input/url-consent.js'
export type { UrlAnswer, UrlConsent } from './contract/input/url-consent.js'
// eslint-disable-next-line @typescript-eslint/no-deprecated -- there for those who ask for it
export { sampling } from './contract/input/sampling.js'
export type { Sampling, SamplingAnswer, SamplingParams } from './contract/input/sampling.js'
// eslint-disable-next-line @typescript-eslint/no-deprecated -- there for those who ask for it
export { roots } from './contract/input/roots.js'
export type { Root, Roots } from './contract/input/roots.js'
export type { CarriedState, InputDeclaration, InputOfHandler, Inputs } from './contract/input/inputs.js'
export { jsonSchema } from './contract/schema/json-schema.js'
export type {
  InputOf,
  JsonSchema,
  OutputOf,
  ParsedOf,
  ResultOf,
  Validated,
} from './contract/schema/json-schema.js'
export type { HandlerContext, Logger, Progress, ResourceContext } from './contract/context.js'
export type { Completer, Completion, CompletionContext } from './contract/completion.js'
export type {
  Extension,
  ExtensionMethod,
  ExtensionSubscription,
  FollowerContext,
} from './contract/extension.js'
export type { Annotations, Icon, Meta, ToolAnnotations } from './contract/presentation.js'
export type { Principal } from './oauth/principal.js'
export type { ScopeRule } from './oauth/scope.js'
export { CastellanError, DefinitionError, ToolError, WireError, errorTable } from './errors.js'
export type { ErrorCode } from './errors.js'
