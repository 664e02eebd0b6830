import type { PrincipalOf } from '../contract/access.js'
import type { HandlerContext } from '../contract/context.js'
import type { Completer, Completers } from '../contract/completion.js'
import type { PromptDefinition, PromptHandler } from '../contract/prompt.js'
import type {
  ResourceDefinition,
  ResourceHandler,
  ResourceTemplateDefinition,
  ResourceTemplateHandler,
} from '../contract/resource.js'
import type { InputOf, Schema } from '../contract/schema/json-schema.js'
import type { ToolDefinition, ToolHandler } from '../contract/tool.js'
import type { VariablesOf } from '../contract/uri-template/uri-template.js'
import type { Deferral } from './deferral.js'

export type AnyDefinition =
  ToolDefinition | ResourceDefinition | ResourceTemplateDefinition | PromptDefinition

/** A definition with the handler that serves it. */
export interface Bound<D extends AnyDefinition> {
  readonly definition: D
  readonly handler: (input: unknown, context: HandlerContext) => unknown
  readonly completers: ReadonlyMap<string, Completer>
  /** The one resource server whose principals the handler counts on; left out, any. */
  readonly auth?: object
  /** How its calls become long work, for a tool made for that. */
  readonly deferral?: Deferral
}

export type HandlerOf<D extends AnyDefinition, Who = PrincipalOf<D>> = D extends ToolDefinition
  ? ToolHandler<D, Who>
  : D extends ResourceTemplateDefinition
    ? ResourceTemplateHandler<D, Who>
    : D extends ResourceDefinition
      ? ResourceHandler<D, Who>
      : D extends PromptDefinition
        ? PromptHandler<D, Who>
        : never

export type ArgumentNames<D extends AnyDefinition> = D extends ResourceTemplateDefinition
  ? keyof VariablesOf<D['uriTemplate']> & string
  : D extends PromptDefinition
    ? D['arguments'] extends Schema
      ? keyof InputOf<D['arguments']> & string
      : never
    : never

export type Kind<D extends AnyDefinition> = D extends ToolDefinition
  ? ToolDefinition
  : D extends ResourceTemplateDefinition
    ? ResourceTemplateDefinition
    : D extends ResourceDefinition
      ? ResourceDefinition
      : PromptDefinition

/**
 * Binds a handler to a definition; `complete` suggests values for arguments of a prompt or variables of a template.
 *
 * Input, context and return value are typed by the definition. A handler speaks to the model by throwing `ToolError`;
 * anything else it throws is logged and masked.
 */
export function handle<D extends AnyDefinition>(
  definition: D,
  handler: HandlerOf<D>,
  options: { readonly complete?: Completers<ArgumentNames<D>> } = {},
): Bound<Kind<D>> {
  const completers = Object.entries<Completer | undefined>(options.complete ?? {})
  return Object.freeze({
    definition: definition as unknown as Kind<D>,
    handler: handler as unknown as Bound<D>['handler'],
    completers: new Map(completers.filter((entry): entry is [string, Completer] => entry[1] !== undefined)),
  })
}
