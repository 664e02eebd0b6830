import { defineTool } from 'castellan'
import { handle, type Changes } from 'castellan/fastify'

/** Tools that tell those who listen that a list changed. */
export function changeTools(changes: Changes) {
  return [
    handle(
      defineTool({ name: 'test_trigger_tool_change', description: 'Tells that the tools changed' }),
      async () => {
        await changes.toolsChanged()
        return 'Told that the tools changed'
      },
    ),
    handle(
      defineTool({ name: 'test_trigger_prompt_change', description: 'Tells that the prompts changed' }),
      async () => {
        await changes.promptsChanged()
        return 'Told that the prompts changed'
      },
    ),
  ]
}
