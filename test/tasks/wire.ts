import { post, modern, meta, type WireAnswer } from '../wire.js'

const extension = { 'io.modelcontextprotocol/tasks': {} }

export const declared = { elicitation: { form: {}, url: {} }, extensions: extension }

/** One request of a client that declares the extension, unless told otherwise. */
export function send(
  url: string,
  method: string,
  params: Record<string, unknown>,
  {
    headers = {},
    capabilities = declared,
  }: { headers?: Record<string, string | undefined>; capabilities?: object } = {},
): Promise<WireAnswer> {
  const _meta = meta({ 'io.modelcontextprotocol/clientCapabilities': capabilities })
  const name = params['taskId'] ?? params['name']
  const own = typeof name === 'string' ? { 'mcp-name': name } : {}
  return post(url, modern(method, { _meta, ...params }, { headers: { ...own, ...headers } }))
}

/** Creates a task and gives it as it was told. */
export async function create(url: string, name: string, args: object = {}, headers = {}): Promise<any> {
  const answer = await send(url, 'tools/call', { name, arguments: args }, { headers })
  return answer.json.result ?? answer.json
}

/** Reads a task until it is as wished. */
export async function until(
  url: string,
  taskId: string,
  wished: (task: any) => boolean,
  headers = {},
): Promise<any> {
  for (;;) {
    const { json } = await send(url, 'tasks/get', { taskId }, { headers })
    if (json.result === undefined) return json
    if (wished(json.result)) return json.result
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}

export const ended = (task: { status: string }) => !['working', 'input_required'].includes(task.status)
