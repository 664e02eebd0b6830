import { DefinitionError } from '../errors.js'
import type { ScopeRule } from '../oauth/scope.js'
import { guarded, type Access, type Awaitable, type ContextOf, type PrincipalOf } from './access.js'
import { text, type ContentBlock } from './content.js'
import { checkedInputs, type Asks, type Inputs } from './input/inputs.js'
import { stringValues, type ParsedOf, type Schema, type StringValues } from './schema/json-schema.js'
import { checkPresentation, type Presentation } from './presentation.js'

/** One message of a prompt, holding one block (MCP 2026-07-28, prompts, "PromptMessage"). */
export interface PromptMessage {
  readonly role: 'user' | 'assistant'
  readonly content: ContentBlock
}

/** A message the user would say. */
export function user(content: string | ContentBlock): PromptMessage {
  return { role: 'user', content: typeof content === 'string' ? text(content) : content }
}

/** A message the model would say. */
export function assistant(content: string | ContentBlock): PromptMessage {
  return { role: 'assistant', content: typeof content === 'string' ? text(content) : content }
}

export interface PromptOptions<
  Arguments extends Schema | undefined,
  Scopes extends ScopeRule | undefined,
  Route extends Schema | undefined,
  Declared extends Inputs | undefined,
>
  extends Presentation, Access<Scopes, Route>, Asks<Declared> {
  readonly name: string
  /** A flat object whose values are all strings; left out, the prompt takes no arguments. */
  readonly arguments?: Arguments
  /** The messages of a static prompt, which needs no handler. */
  readonly messages?: readonly PromptMessage[]
}

/** A prompt: static when it carries its messages, computed when a handler is bound to it. */
export interface PromptDefinition<
  Arguments extends Schema | undefined = Schema | undefined,
  Scopes extends ScopeRule | undefined = ScopeRule | undefined,
  Route extends Schema | undefined = Schema | undefined,
  Declared extends Inputs | undefined = Inputs | undefined,
> {
  readonly kind: 'prompt'
  readonly name: string
  readonly arguments: Arguments
  readonly scopes: Scopes
  readonly route: Route
  readonly routeValues: StringValues | undefined
  readonly inputs: Declared
  readonly presentation: Presentation
  readonly messages: readonly PromptMessage[] | undefined
  readonly compiled: StringValues | undefined
}

type PromptInput<D extends PromptDefinition> = D['arguments'] extends Schema
  ? ParsedOf<D['arguments']>
  : Record<string, never>

/** What a prompt's handler may return: a user message as text, one or several messages, or those with a description. */
export type PromptReturn =
  | string
  | PromptMessage
  | readonly PromptMessage[]
  | { readonly description?: string; readonly messages: readonly PromptMessage[] }

export type PromptHandler<D extends PromptDefinition, Who = PrincipalOf<D>> = (
  input: PromptInput<D>,
  context: ContextOf<D, Who>,
) => Awaitable<PromptReturn>

/**
 * Declares a prompt: with `messages` it is complete, with `arguments` a handler computes the messages. Throws
 * `ERR_DEFINITION` for arguments that are not strings or a static prompt with arguments (MCP 2026-07-28, prompts).
 */
export function definePrompt<
  Arguments extends Schema | undefined = undefined,
  const Scopes extends ScopeRule | undefined = undefined,
  Route extends Schema | undefined = undefined,
  Declared extends Inputs | undefined = undefined,
>(
  options: PromptOptions<Arguments, Scopes, Route, Declared>,
): PromptDefinition<Arguments, Scopes, Route, Declared> {
  const { name, title, description, icons, meta, messages } = options
  const where = `prompt ${JSON.stringify(name)}`
  if (name === '') throw new DefinitionError(`${where}: a name is missing`)
  if (messages !== undefined && options.arguments !== undefined) {
    throw new DefinitionError(`${where}: static messages take no arguments; bind a handler instead`)
  }
  const presentation = { title, description, icons, meta } as Presentation
  checkPresentation(where, presentation)
  return Object.freeze({
    kind: 'prompt',
    name,
    arguments: options.arguments as Arguments,
    ...guarded(where, options),
    inputs: checkedInputs(where, options),
    presentation,
    messages,
    compiled:
      options.arguments === undefined ? undefined : stringValues(options.arguments, `${where}: arguments`),
  })
}
