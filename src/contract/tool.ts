import { DefinitionError } from '../errors.js'
import { mirroredParameters, type MirroredParameter } from '../protocol/mirrored-parameters.js'
import type { ScopeRule } from '../oauth/scope.js'
import { guarded, type Access, type Awaitable, type ContextOf, type PrincipalOf } from './access.js'
import type { ContentBlock } from './content.js'
import {
  outputSchema,
  toolInputSchema,
  type CompiledSchema,
  type OutputOf,
  type ParsedOf,
  type Schema,
  type StringValues,
} from './schema/json-schema.js'
import { checkedInputs, type Asks, type Inputs } from './input/inputs.js'
import { checkPresentation, type Presentation, type ToolAnnotations } from './presentation.js'
import type { ToolResult } from './result.js'

export interface ToolOptions<
  Name extends string,
  Input extends Schema | undefined,
  Output extends Schema | undefined,
  Scopes extends ScopeRule | undefined,
  Route extends Schema | undefined,
  Declared extends Inputs | undefined,
>
  extends Presentation, Access<Scopes, Route>, Asks<Declared> {
  /** 1–128 characters of `A-Za-z0-9_.-`, unique per server. */
  readonly name: Name
  readonly description: string
  /** The arguments, an object; left out, the tool takes none. */
  readonly input?: Input
  /** The structured result; left out, the tool answers with content only. */
  readonly output?: Output
  readonly annotations?: ToolAnnotations
}

/** A tool as both ends know it: a server binds a handler to it, a client calls it by it. */
export interface ToolDefinition<
  Name extends string = string,
  Input extends Schema | undefined = Schema | undefined,
  Output extends Schema | undefined = Schema | undefined,
  Scopes extends ScopeRule | undefined = ScopeRule | undefined,
  Route extends Schema | undefined = Schema | undefined,
  Declared extends Inputs | undefined = Inputs | undefined,
> {
  readonly kind: 'tool'
  readonly name: Name
  readonly input: Input
  readonly output: Output
  readonly scopes: Scopes
  readonly route: Route
  readonly routeValues: StringValues | undefined
  readonly inputs: Declared
  readonly presentation: Presentation
  readonly annotations: ToolAnnotations | undefined
  readonly compiled: CompiledTool
}

/** What is worked out once from the schemas of a tool. */
interface CompiledTool {
  readonly input: CompiledSchema
  readonly output: CompiledSchema | undefined
  readonly mirrored: readonly MirroredParameter[]
}

type ArgumentsOf<D extends ToolDefinition> = D['input'] extends Schema
  ? ParsedOf<D['input']>
  : Record<string, never>

/** What a tool's handler may return: its output, or content when it declares none. */
export type ToolReturn<D extends ToolDefinition> = D['output'] extends Schema
  ? OutputOf<D['output']> | ToolResult<OutputOf<D['output']>>
  : string | ContentBlock | readonly ContentBlock[] | ToolResult<undefined> | undefined | void

export type ToolHandler<D extends ToolDefinition, Who = PrincipalOf<D>> = (
  input: ArgumentsOf<D>,
  context: ContextOf<D, Who>,
) => Awaitable<ToolReturn<D>>

const nameSyntax = /^[A-Za-z0-9_.-]{1,128}$/

/**
 * Declares a tool once for server and client.
 *
 * Schemas are zod 4 (or `jsonSchema`) and become JSON Schema 2020-12 here, once. Throws `ERR_DEFINITION` for a bad
 * name, a schema that JSON cannot express, or a wrong `x-mcp-header` (MCP 2026-07-28, tools).
 */
export function defineTool<
  const Name extends string,
  Input extends Schema | undefined = undefined,
  Output extends Schema | undefined = undefined,
  const Scopes extends ScopeRule | undefined = undefined,
  Route extends Schema | undefined = undefined,
  Declared extends Inputs | undefined = undefined,
>(
  options: ToolOptions<Name, Input, Output, Scopes, Route, Declared>,
): ToolDefinition<Name, Input, Output, Scopes, Route, Declared> {
  const { name, title, description, icons, meta, input, output, annotations } = options
  const where = `tool ${JSON.stringify(name)}`
  if (!nameSyntax.test(name)) {
    throw new DefinitionError(`${where}: a name is 1–128 characters of A–Z, a–z, 0–9, "_", "." and "-"`)
  }
  const presentation = { title, description, icons, meta } as Presentation
  checkPresentation(where, presentation)
  return Object.freeze({
    kind: 'tool',
    name,
    input: input as Input,
    output: output as Output,
    ...guarded(where, options),
    inputs: checkedInputs(where, options),
    presentation,
    annotations,
    compiled: compile(where, input, output),
  })
}

function compile(where: string, input: Schema | undefined, output: Schema | undefined): CompiledTool {
  const compiled = toolInputSchema(input, where)
  const mirrored = mirroredParameters(compiled.json)
  if (typeof mirrored === 'string') throw new DefinitionError(`${where}: ${mirrored}`)
  return Object.freeze({
    input: compiled,
    output: output === undefined ? undefined : outputSchema(output, where),
    mirrored,
  })
}
