import type { JsonObject } from '../../protocol/json.js'
import type { CallerSettings, InputSupport } from '../caller-options.js'

const tasksExtension = 'io.modelcontextprotocol/tasks'

/** How one call treats questions: who answers, and which kinds may be asked. */
export interface CallInput {
  /** Who answers: handlers of the caller, the host between two calls, or nobody at all. */
  readonly by: 'handlers' | 'host' | 'nobody'
  readonly support: InputSupport
}

/** What a call without anybody to ask may be asked: nothing. */
export const noInput: CallInput = { by: 'nobody', support: {} }

/** Who can answer questions of one call; `hostInput` is the call's own wish. */
export function callInput(settings: CallerSettings, hostInput?: false | 'automatic'): CallInput {
  if (hostInput === false) return noInput
  const { onInput, inputSupport } = settings
  if (onInput !== undefined) {
    return {
      by: 'handlers',
      support: { ...(onInput.form && { form: true }), ...(onInput.url && { url: true }) },
    }
  }
  if (inputSupport === undefined || hostInput === 'automatic') return { by: 'handlers', support: {} }
  return { by: 'host', support: inputSupport }
}

/** The capabilities one request declares: only what this call can serve (MCP 2026-07-28, basic, "_meta"). */
export function declaredCapabilities(
  settings: CallerSettings,
  { support }: CallInput,
  tasks: boolean,
): JsonObject {
  const modes = { ...(support.form && { form: {} }), ...(support.url && { url: {} }) }
  const extensions = { ...settings.extensions, ...(tasks && { [tasksExtension]: {} }) }
  return {
    ...(Object.keys(modes).length > 0 && { elicitation: modes }),
    ...(Object.keys(extensions).length > 0 && { extensions }),
  }
}
