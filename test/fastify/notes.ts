import {
  definePrompt,
  defineResource,
  defineResourceTemplate,
  defineTool,
  image,
  result,
  text,
  ToolError,
  user,
} from 'castellan'
import { handle, type McpOptions } from 'castellan/fastify'
import { z } from 'zod'

/** One of everything a server can offer, for tests of the wire. */
export const echo = handle(
  defineTool({
    name: 'echo',
    description: 'Repeats text',
    input: z.object({ text: z.string(), times: z.number().int().min(1).max(9).default(1) }),
    output: z.object({ text: z.string() }),
  }),
  ({ text: said, times }) => ({ text: said.repeat(times) }),
)

export const mirrored = handle(
  defineTool({
    name: 'mirrored',
    description: 'Has mirrored parameters',
    input: z.object({
      region: z.string().meta({ 'x-mcp-header': 'Region' }),
      level: z.number().int().optional().meta({ 'x-mcp-header': 'Level' }),
      deep: z.object({ flag: z.boolean().meta({ 'x-mcp-header': 'Flag' }) }).optional(),
    }),
  }),
  ({ region }) => region,
)

export const failing = handle(
  defineTool({
    name: 'failing',
    description: 'Fails in the way it is told',
    input: z.object({ how: z.string() }),
  }),
  ({ how }) => {
    if (how === 'tool') throw new ToolError('The shelf is empty')
    if (how === 'string') throw 'a string'
    if (how === 'undefined') throw undefined
    if (how === 'rejected') return Promise.reject(new Error('secret-detail'))
    throw new Error('secret-detail at /some/path')
  },
)

export const broken = handle(
  defineTool({
    name: 'broken',
    description: 'Breaks its output schema',
    input: z.object({ how: z.string() }),
    output: z.object({ value: z.unknown(), must: z.literal(true) }),
  }),
  ({ how }) => {
    const cycle: Record<string, unknown> = {}
    cycle['self'] = cycle
    if (how === 'bigint') return { value: 1n, must: true as const }
    if (how === 'cycle') return { value: cycle, must: true as const }
    if (how === 'toJSON')
      return {
        value: {
          toJSON: () => {
            throw new Error('secret-detail')
          },
        },
        must: true as const,
      }
    return { value: 1 } as never
  },
)

export const scalars = [
  ['number', z.number(), 0],
  ['flag', z.boolean(), false],
  ['nothing', z.null(), null],
  ['words', z.array(z.string()), []],
  ['word', z.string(), ''],
] as const

export const scalarTools = scalars.map(([name, output, value]) =>
  handle(defineTool({ name, description: name, output: output as z.ZodType }), () => value),
)

export const rich = handle(
  defineTool({ name: 'rich', description: 'Chosen content', output: z.object({ n: z.number() }) }),
  () =>
    result(
      { n: 1 },
      {
        content: [text('one'), image(new Uint8Array([1, 2, 3]), 'image/png')],
        metadata: { 'com.example/k': 1 },
      },
    ),
)

export const progress = handle(
  defineTool({
    name: 'progress',
    description: 'Reports steps',
    input: z.object({ steps: z.array(z.number()) }),
  }),
  async ({ steps }, { progress: report }) => {
    for (const step of steps) await report({ progress: step })
    return 'done'
  },
)

export const readme = handle(
  defineResource({
    uri: 'notes://readme',
    name: 'readme',
    mimeType: 'text/markdown',
    cache: { ttlMs: 5000, scope: 'public' },
  }),
  (_input, { uri }) => `# ${uri}`,
)

export const logo = handle(
  defineResource({ uri: 'notes://logo', name: 'logo', mimeType: 'image/png', size: 3 }),
  () => new Uint8Array([137, 80, 78]),
)

export const note = handle(
  defineResourceTemplate({ uriTemplate: 'notes://note/{id}', name: 'note', mimeType: 'text/plain' }),
  ({ id }) => (id === 'gone' ? undefined : `note ${id}`),
  {
    complete: {
      id: (value, { chosen }) =>
        ['a1', 'a2', `b${Object.keys(chosen).length}`].filter((id) => id.startsWith(value)),
    },
  },
)

export const greeting = definePrompt({
  name: 'greeting',
  description: 'Says hello',
  messages: [user('Hello')],
})

export const summary = handle(
  definePrompt({
    name: 'summary',
    arguments: z.object({
      topic: z.string().describe('What about'),
      tone: z.enum(['dry', 'warm']).optional(),
    }),
  }),
  ({ topic, tone }) => `Summarise ${topic}${tone === undefined ? '' : ` in a ${tone} tone`}`,
  { complete: { topic: () => Array.from({ length: 500 }, (_, index) => `t${index}`) } },
)

export const offer: Partial<McpOptions> = {
  tools: [echo, mirrored, failing, broken, ...scalarTools, rich],
  resources: [readme, logo, note],
  prompts: [greeting, summary],
}
