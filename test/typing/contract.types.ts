/* eslint-disable @typescript-eslint/no-unused-vars, @typescript-eslint/no-unnecessary-type-parameters -- values are there for their types */
/** Compiled, never run: what a newcomer types must be inferred, and mistakes must not compile. */
import {
  definePrompt,
  defineResource,
  defineResourceTemplate,
  defineTool,
  result,
  text,
  type Principal,
} from 'castellan'
import mcp, { handle } from 'castellan/fastify'
import Fastify from 'fastify'
import { z } from 'zod'

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
declare function same<A, B>(proof: Same<A, B>): void

const listNotes = defineTool({
  name: 'list_notes',
  description: 'Lists',
  input: z.object({ limit: z.number().default(20), since: z.string().transform(Number).optional() }),
  output: z.object({ notes: z.array(z.string()), total: z.number().default(0) }),
  scopes: ['notes:read'],
})

same<typeof listNotes.name, 'list_notes'>(true)

handle(listNotes, ({ limit, since }, { principal, signal, route, protocol }) => {
  same<typeof limit, number>(true)
  same<typeof since, number | undefined>(true)
  same<typeof principal, Principal>(true)
  same<typeof signal, AbortSignal>(true)
  same<typeof route, Readonly<Record<string, string>>>(true)
  same<typeof protocol, string>(true)
  return { notes: ['a'] }
})
handle(listNotes, async () => result({ notes: [] }, { content: [text('none')] }))
// @ts-expect-error a wrong member
handle(listNotes, () => ({ notes: [1] }))
// @ts-expect-error a missing member
handle(listNotes, () => ({ total: 1 }))
// @ts-expect-error text instead of the output
handle(listNotes, () => 'none')
// @ts-expect-error nothing instead of the output
handle(listNotes, () => undefined)
// @ts-expect-error an argument that is not declared
handle(listNotes, ({ offset }) => ({ notes: [String(offset)] }))

const open = defineTool({ name: 'open', description: 'Declares no scopes and no schemas' })
handle(open, (input, { principal }) => {
  same<typeof input, Record<string, never>>(true)
  same<typeof principal, Principal | undefined>(true)
  return [text('a'), text('b')]
})
handle(open, () => undefined)
handle(open, async () => 'text')
// @ts-expect-error a value without an output schema
handle(open, () => ({ a: 1 }))

const anyone = defineTool({ name: 'anyone', description: 'Any authenticated caller', scopes: [] })
handle(anyone, (_input, { principal }) => principal.subject)

const routed = defineTool({
  name: 'routed',
  description: 'Sees the URL',
  route: z.object({ organization: z.string().transform(Number) }),
})
handle(routed, (_input, { route }) => {
  same<typeof route, { organization: number }>(true)
  return ''
})

const note = defineResourceTemplate({ uriTemplate: 'notes://{id}{?page,tag*}', name: 'note' })
handle(
  note,
  ({ id, page, tag }, { uri }) => {
    same<typeof id, string>(true)
    same<typeof page, string | undefined>(true)
    same<typeof tag, readonly string[] | undefined>(true)
    same<typeof uri, string>(true)
    return id === '' ? undefined : id
  },
  { complete: { id: (value) => [value] } },
)
// @ts-expect-error a variable the template does not have
handle(note, () => '', { complete: { name: () => [] } })

const readme = defineResource({ uri: 'notes://readme', name: 'readme' })
handle(readme, () => new Uint8Array())
// @ts-expect-error an object is no resource contents
handle(readme, () => ({ a: 1 }))

const summary = definePrompt({
  name: 'summary',
  arguments: z.object({ topic: z.string(), tone: z.enum(['dry', 'warm']).optional() }),
})
handle(
  summary,
  ({ topic, tone }) => {
    same<typeof topic, string>(true)
    same<typeof tone, 'dry' | 'warm' | undefined>(true)
    return topic
  },
  { complete: { tone: () => ['dry', 'warm'] } },
)
// @ts-expect-error a prompt answers with messages
handle(summary, () => 7)

const app = Fastify()
const offer = { path: '/mcp', name: 'x', version: '1', tools: [handle(open, () => 'ok')] }
void app.register(mcp, { ...offer, auth: 'none' })
// @ts-expect-error the word must be typed out
void app.register(mcp, offer)
// @ts-expect-error there is no such word
void app.register(mcp, { ...offer, auth: 'open' })
