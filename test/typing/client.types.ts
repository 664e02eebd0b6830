/** Compiled, never run: what a caller types must be inferred, and mistakes must not compile. */
import {
  defineTool,
  defineResource,
  defineResourceTemplate,
  definePrompt,
  type ContentBlock,
} from 'castellan'
import { createClient, externalTool, httpCaller, type CompletedCall, type RouteOf } from 'castellan/client'
import { z } from 'zod'

/* eslint-disable @typescript-eslint/no-unnecessary-type-parameters, @typescript-eslint/no-unused-vars */

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
function same<A, B>(_proof: Same<A, B>): void {}

const clientInfo = { name: 'types', version: '1' }
const client = createClient(httpCaller({ clientInfo, endpoint: 'https://example.com/mcp' }))

const listNotes = defineTool({
  name: 'list_notes',
  description: 'Lists',
  input: z.object({ limit: z.number().default(20) }),
  output: z.object({ notes: z.array(z.string()), total: z.number().default(0) }),
})
const open = defineTool({ name: 'open', description: 'No schemas' })
const add = externalTool({ name: 'add', input: z.object({ a: z.number() }), output: z.number() })

const listed = await client.call(listNotes, { limit: 5 }, { signal: AbortSignal.timeout(1000) })
same<typeof listed, { notes: string[]; total: number }>(true)
await client.call(listNotes, {})
await client.call(listNotes)
// @ts-expect-error an argument that is not declared
await client.call(listNotes, { offset: 1 })
// @ts-expect-error an argument of the wrong type
await client.call(listNotes, { limit: '5' })
const blocks = await client.call(open)
same<typeof blocks, readonly ContentBlock[]>(true)
// @ts-expect-error a tool without arguments
await client.call(open, { a: 1 })
const sum = await client.call(add, { a: 1 })
same<typeof sum, number>(true)
// @ts-expect-error a required argument
await client.call(add)
const untyped = await client.call('anything', { a: 1 })
same<typeof untyped, CompletedCall>(true)
// @ts-expect-error a task would be of no use here
await client.call(add, { a: 1 }, { taskSupport: true })
const raw = await client.callRaw(add, { a: 1 }, { taskSupport: true })
if (raw.status === 'task') same<typeof raw.task.taskId, string>(true)

const readme = defineResource({ uri: 'file:///readme', name: 'readme' })
const note = defineResourceTemplate({ uriTemplate: 'note://{id}{?page}', name: 'note' })
await client.read(readme)
await client.read('file:///other', undefined, { signal: AbortSignal.timeout(1) })
await client.read(note, { id: 'a' })
await client.read(note, { id: 'a', page: 2 })
// @ts-expect-error a variable that is missing
await client.read(note, { page: '1' })
// @ts-expect-error variables that are missing
await client.read(note)

const review = definePrompt({ name: 'review', arguments: z.object({ style: z.enum(['short', 'long']) }) })
await client.prompt(review, { style: 'short' })
// @ts-expect-error a value that is not one of them
await client.prompt(review, { style: 'medium' })
// @ts-expect-error an argument that is missing
await client.prompt(review)
await client.prompt('static')
await client.complete(review, 'style', 's', { chosen: {} })
await client.complete({ uriTemplate: 'note://{id}' }, 'id', '')

same<RouteOf<'https://a.example/x/:one/y/:two/mcp'>, { readonly one: string; readonly two: string }>(true)
httpCaller({ clientInfo, endpoint: 'https://a.example/o/:organization/mcp', route: { organization: 'blue' } })
declare const anyEndpoint: string
httpCaller({ clientInfo, endpoint: anyEndpoint })
// @ts-expect-error a value that is missing
httpCaller({ clientInfo, endpoint: 'https://a.example/o/:organization/mcp' })
// @ts-expect-error a value under another name
httpCaller({ clientInfo, endpoint: 'https://a.example/o/:organization/mcp', route: { org: 'blue' } })
// @ts-expect-error a value nobody asks for
httpCaller({ clientInfo, endpoint: 'https://a.example/mcp', route: { org: 'blue' } })
// @ts-expect-error neither an endpoint nor a transport
httpCaller({ clientInfo })
