/** No tool has it in its name. */
const mark = '~'

/** The id clients know: its tool stands in it, so that its scopes are known without a look at the task. */
export function publicId(tool: string, id: string): string {
  return `${tool}${mark}${id}`
}

/** The tool and the service's own id; undefined for what is no id of a task. */
export function readPublicId(taskId: unknown): { readonly tool: string; readonly id: string } | undefined {
  if (typeof taskId !== 'string') return undefined
  const end = taskId.indexOf(mark)
  return end === -1 ? undefined : { tool: taskId.slice(0, end), id: taskId.slice(end + 1) }
}
