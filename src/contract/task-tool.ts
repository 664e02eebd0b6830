import { DefinitionError } from '../errors.js'
import type { ScopeRule } from '../oauth/scope.js'
import type { Form } from './input/form.js'
import type { UrlConsent } from './input/url-consent.js'
import type { Schema } from './schema/json-schema.js'
import { defineTool, type ToolDefinition, type ToolOptions } from './tool.js'

/** What a task may ask while it works. */
export type TaskInputs = Readonly<Record<string, Form | UrlConsent>>

export interface TaskToolOptions<
  Name extends string,
  Input extends Schema | undefined,
  Output extends Schema | undefined,
  Scopes extends ScopeRule | undefined,
  Route extends Schema | undefined,
  Declared extends TaskInputs | undefined,
> extends ToolOptions<Name, Input, Output, Scopes, Route, Declared> {
  /** `optional`: clients that cannot follow tasks wait for the result; `required`: they are refused. */
  readonly task: 'optional' | 'required'
}

/** A tool whose calls become tasks, for clients that declare the extension. */
export interface TaskToolDefinition<
  Name extends string = string,
  Input extends Schema | undefined = Schema | undefined,
  Output extends Schema | undefined = Schema | undefined,
  Scopes extends ScopeRule | undefined = ScopeRule | undefined,
  Route extends Schema | undefined = Schema | undefined,
  Declared extends TaskInputs | undefined = TaskInputs | undefined,
> extends ToolDefinition<Name, Input, Output, Scopes, Route, Declared> {
  readonly task: 'optional' | 'required'
}

/**
 * Declares a tool for long work: its calls are answered with a task, which is read, answered and cancelled by its id
 * while the work goes on. `handleTask` of `castellan/tasks` binds it.
 *
 * `inputs` are forms and pages. Throws `ERR_DEFINITION` as `defineTool` does (MCP extension
 * `io.modelcontextprotocol/tasks`).
 */
export function defineTaskTool<
  const Name extends string,
  Input extends Schema | undefined = undefined,
  Output extends Schema | undefined = undefined,
  const Scopes extends ScopeRule | undefined = undefined,
  Route extends Schema | undefined = undefined,
  Declared extends TaskInputs | undefined = undefined,
>(
  options: TaskToolOptions<Name, Input, Output, Scopes, Route, Declared>,
): TaskToolDefinition<Name, Input, Output, Scopes, Route, Declared> {
  const { task, ...tool } = options
  const definition = defineTool<Name, Input, Output, Scopes, Route, Declared>(tool)
  const where = `tool ${JSON.stringify(definition.name)}`
  if ((task as unknown) !== 'optional' && (task as unknown) !== 'required') {
    throw new DefinitionError(`${where}: \`task\` is 'optional' or 'required'`)
  }
  for (const [name, { kind }] of Object.entries<Form | UrlConsent>(definition.inputs ?? {})) {
    if ((kind as string) === 'form' || (kind as string) === 'url') continue
    throw new DefinitionError(`${where}: inputs.${name}: a task asks with forms and pages only`)
  }
  return Object.freeze({ ...definition, task })
}
