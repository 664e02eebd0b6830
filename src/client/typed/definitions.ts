import type { PromptDefinition, PromptMessage } from '../../contract/prompt.js'
import type { ResourceDefinition, ResourceTemplateDefinition } from '../../contract/resource.js'
import type { InputOf, ResultOf, Schema } from '../../contract/schema/json-schema.js'
import type { ToolDefinition } from '../../contract/tool.js'
import type { ContentBlock } from '../../contract/content.js'
import type { TemplateValue } from '../../contract/uri-template/expansion.js'
import type { VariablesOf } from '../../contract/uri-template/uri-template.js'
import type { JsonObject } from '../../protocol/json.js'
import type { CompletedCall } from '../completed-call.js'

/** What a caller of a tool writes. */
export type ArgumentsFor<Tool extends ToolDefinition | string> = Tool extends ToolDefinition
  ? Tool['input'] extends Schema
    ? InputOf<Tool['input']>
    : Readonly<Record<string, never>>
  : JsonObject

/** What a call gives: the structured result, the content blocks of a tool without one, or all of it by name. */
export type ResultFor<Tool extends ToolDefinition | string> = Tool extends ToolDefinition
  ? Tool['output'] extends Schema
    ? ResultOf<Tool['output']>
    : readonly ContentBlock[]
  : CompletedCall

/** What a prompt is given: strings, as its definition takes them. */
export type PromptArguments<Prompt extends PromptDefinition | string> = Prompt extends PromptDefinition
  ? Prompt['arguments'] extends Schema
    ? InputOf<Prompt['arguments']>
    : Readonly<Record<string, never>>
  : Readonly<Record<string, string>>

type Loose<Variables> = { readonly [Name in keyof Variables]: Variables[Name] | number | boolean }

/** What fills the URI of a template; a resource has nothing to fill in. */
export type VariablesFor<Resource extends ResourceDefinition | ResourceTemplateDefinition | string> =
  Resource extends ResourceTemplateDefinition<infer Template>
    ? Loose<VariablesOf<Template>>
    : Readonly<Record<string, TemplateValue>>

/** A prompt as its server fills it in. */
export interface PromptResult {
  readonly description?: string
  readonly messages: readonly PromptMessage[]
}

/** An argument that may be left out when nothing in it is required. */
// eslint-disable-next-line @typescript-eslint/no-empty-object-type -- an object with nothing in it
export type Optional<Value> = {} extends Value ? [value?: Value] : [value: Value]
