/** Shapes of inputs and outputs as real tools have them, three to six fields each. */
const inputs = [
  `z.object({
    query: z.string().min(1).max(200).describe('Words to look for'),
    limit: z.number().int().positive().max(100).default(20),
    cursor: z.string().optional(),
    order: z.enum(['newest', 'oldest', 'relevance']).default('newest'),
  })`,
  `z.object({
    id: z.uuid(),
    title: z.string().min(1),
    labels: z.array(z.string()).max(20).default([]),
    assignee: z.object({ id: z.string(), notify: z.boolean().default(true) }).optional(),
    priority: z.union([z.literal('low'), z.literal('high')]).optional(),
  })`,
  `z.object({
    owner: z.string(),
    repository: z.string(),
    filter: z.discriminatedUnion('by', [
      z.object({ by: z.literal('author'), author: z.string() }),
      z.object({ by: z.literal('date'), since: z.iso.datetime(), until: z.iso.datetime().optional() }),
    ]),
  })`,
  `z.object({
    amount: z.number().positive(),
    currency: z.string().length(3),
    note: z.string().max(140).nullable(),
    tags: z.record(z.string(), z.string()).optional(),
    dryRun: z.boolean().default(false),
    recipients: z.array(z.object({ account: z.string(), share: z.number().min(0).max(1) })).min(1),
  })`,
]

const outputs = [
  `z.object({
    items: z.array(z.object({ id: z.string(), title: z.string(), score: z.number() })),
    total: z.number().int(),
    nextCursor: z.string().optional(),
  })`,
  `z.object({ id: z.string(), url: z.url(), createdAt: z.iso.datetime(), state: z.enum(['open', 'closed']) })`,
  `z.object({
    id: z.string(),
    amount: z.number(),
    fee: z.number().default(0),
    status: z.enum(['accepted', 'pending', 'refused']),
    reason: z.string().nullable(),
  })`,
]

const answers = [
  `({ items: [{ id: 'a', title: 'A', score: 1 }], total: 1 })`,
  `({ id: 'a', url: 'https://example.com/a', createdAt: '2026-07-28T00:00:00Z', state: 'open' as const })`,
  `({ id: 'a', amount: 1, status: 'pending' as const, reason: null })`,
]

/** The module of a host with that many tools, each with its own schemas, scopes and handler, mounted on one app. */
export function moduleOfTools(count: number): string {
  const numbers = Array.from({ length: count }, (_, n) => n)
  return [
    `import { defineTool } from 'castellan'`,
    `import mcp, { handle } from 'castellan/fastify'`,
    `import Fastify from 'fastify'`,
    `import { z } from 'zod'`,
    ...numbers.map(tool),
    `const tools = [${numbers.map((n) => `bound${n}`).join(', ')}]`,
    `await Fastify().register(mcp, { path: '/mcp', name: 'many', version: '1.0.0', auth: 'none', tools })`,
    '',
  ].join('\n')
}

function tool(n: number): string {
  const answer = answers[n % answers.length] ?? ''
  const body = n % 2 === 0 ? `() => ${answer}` : `async () => ${answer}`
  return `
export const tool${n} = defineTool({
  name: 'tool_${n}',
  description: 'Does thing ${n}',
  input: ${inputs[n % inputs.length] ?? ''},
  output: ${outputs[n % outputs.length] ?? ''},
  scopes: ['things:read', 'things:${n}'],
  annotations: { readOnlyHint: true },
})
const bound${n} = handle(tool${n}, (input, { principal, signal }) => {
  signal.throwIfAborted()
  void [principal.subject, ${n % inputs.length === 0 ? 'input.limit.toFixed()' : 'input'}]
  return (${body})()
})`
}
