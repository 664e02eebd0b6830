import { appendFileSync } from 'node:fs'
import { jsonSchema } from 'castellan'
import { createClient, externalTool, httpCaller, RpcError } from 'castellan/client'
import type { CallerOptions, Client, ListedTool } from 'castellan/client'
import { playAuthorized } from './auth-play.js'
import type { AuthContext } from './auth-transports.js'
import { takeTurn } from './turns.js'

/** What the runner tells about a scenario. */
interface Context {
  readonly toolCalls?: readonly {
    readonly name: string
    readonly arguments: Readonly<Record<string, unknown>>
  }[]
}

type Scenario = (client: Client, context: Context) => Promise<void>

const samples: Readonly<Record<string, unknown>> = { string: 'eu', integer: 1, number: 1, boolean: true }

/** Arguments a tool takes: a value for everything it requires. */
function argumentsOf({ inputSchema }: ListedTool): Readonly<Record<string, unknown>> {
  const { required = [], properties = {} } = inputSchema as {
    required?: string[]
    properties?: Record<string, { type?: string }>
  }
  return Object.fromEntries(required.map((name) => [name, samples[properties[name]?.type ?? 'string']]))
}

const everyTool: Scenario = async (client) => {
  for (const tool of await list(client.tools())) await client.callRaw(tool.name, argumentsOf(tool))
}

/** The scenarios that need no authorization, all of the revision that our callers speak. */
const scenarios: Readonly<Record<string, Scenario>> = {
  tools_call: async (client) => {
    await list(client.tools())
    await client.call('add_numbers', { a: 5, b: 3 })
  },
  'request-metadata': async (client) => {
    await client.discover()
    await list(client.tools())
  },
  'http-standard-headers': async (client) => {
    await everyTool(client, {})
    for (const { uri } of await list(client.resources())) await client.read(uri)
    for (const { name } of await list(client.prompts())) await client.prompt(name)
  },
  'http-custom-headers': async (client, { toolCalls = [] }) => {
    const listed = await list(client.tools())
    for (const call of toolCalls) {
      const schema = listed.find(({ name }) => name === call.name)?.inputSchema ?? { type: 'object' }
      // Some calls hold a null their schema does not allow; the server is to judge them.
      const input = jsonSchema<Readonly<Record<string, unknown>>>(schema, (value) => ({
        value: value as Readonly<Record<string, unknown>>,
      }))
      await client.callRaw(externalTool({ name: call.name, input }), call.arguments)
    }
  },
  'http-invalid-tool-headers': everyTool,
  'sep-2322-client-request-state': everyTool,
  'json-schema-ref-no-deref': async (client) => {
    await list(client.tools())
  },
  'json-schema-2020-12-preservation': async (client) => {
    const listed = await list(client.tools())
    const schema = listed.find(({ name }) => name === 'json_schema_2020_12_tool')?.inputSchema
    await client.callRaw('json_schema_echo', { schema })
  },
}

async function list<T>(entries: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = []
  try {
    for await (const entry of entries) all.push(entry)
  } catch (error) {
    if (!(error instanceof RpcError && error.rpc === -32601)) throw error
  }
  return all
}

async function run(scenario: string, url: string): Promise<void> {
  const context = JSON.parse(process.env['MCP_CONFORMANCE_CONTEXT'] ?? '{}') as unknown
  const revision = process.env['MCP_CONFORMANCE_PROTOCOL_VERSION'] ?? ''
  if (scenario.startsWith('auth/')) return playAuthorized(scenario, revision, url, context as AuthContext)
  if (revision !== '2026-07-28') return
  const steps = scenarios[scenario]
  if (steps === undefined) throw new Error(`The scenario ${scenario} is not played by this client`)
  const options: CallerOptions = {
    clientInfo: { name: 'castellan-everything-client', version: '1.0.0' },
    onInput: { form: () => ({ action: 'accept', content: { confirmed: true } }) },
    onWarning: ({ message }) => console.warn(message),
  }
  await using client = createClient(httpCaller({ ...options, endpoint: url }))
  await steps(client, context as Context)
}

const scenario = process.env['MCP_CONFORMANCE_SCENARIO'] ?? ''
const exits = process.env['CASTELLAN_EXIT_CODES']
process.on('exit', (code) => {
  if (exits !== undefined) appendFileSync(exits, `${scenario} ${code}\n`)
})
const turns = process.env['CASTELLAN_TURNS']
if (turns !== undefined) await takeTurn(turns)
try {
  await run(scenario, process.argv.at(-1) ?? '')
} catch (error) {
  console.error(error)
  process.exitCode = 1
}
