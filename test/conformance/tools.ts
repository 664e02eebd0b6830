import { contentTools } from './content-tools.js'
import { inputTools } from './input-tools.js'
import { schemaTools } from './schema-tools.js'
import { streamTools } from './stream-tools.js'
import { taskTools } from './task-tools.js'

/** The runner calls the first tool with no arguments, so one that needs none comes first. */
export const tools = [...contentTools, ...streamTools, ...schemaTools, ...inputTools, ...taskTools]
