import { setTimeout as pause } from 'node:timers/promises'
import { defineTool } from 'castellan'
import { handle } from 'castellan/fastify'

const withProgress = handle(
  defineTool({ name: 'test_tool_with_progress', description: 'Reports its progress in three steps' }),
  async (_input, context) => {
    for (const done of [0, 50, 100]) {
      await context.progress({ progress: done, total: 100, message: `Completed step ${done} of 100` })
      await pause(50)
    }
    return 'Done'
  },
)

/** Named for what a client may declare, not for what happens: nothing but the answer may come. */
const withElicitationDeclared = handle(
  defineTool({ name: 'test_streaming_elicitation', description: 'Answers without asking anything' }),
  () => 'No request was sent on this stream',
)

const quiet = handle(
  defineTool({ name: 'test_logging_tool', description: 'Logs on the server only' }),
  (_input, { log }) => {
    log.info({}, 'The logging tool was called')
    return 'Logged'
  },
)

export const streamTools = [withProgress, withElicitationDeclared, quiet]
