/* eslint-disable @typescript-eslint/no-unused-vars, @typescript-eslint/no-deprecated, @typescript-eslint/no-meaningless-void-operator, @typescript-eslint/no-unnecessary-type-parameters -- values are there for their types */
/** Compiled, never run: what a handler may ask is what its definition declares, and answers are typed. */
import {
  definePrompt,
  defineResourceTemplate,
  defineTool,
  form,
  roots,
  sampling,
  urlConsent,
  type Root,
} from 'castellan'
import { handle } from 'castellan/fastify'
import { z } from 'zod'

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
declare function same<A, B>(proof: Same<A, B>): void

const inputs = {
  details: form(
    z.object({ seats: z.int().default(2), at: z.string().transform(Number), note: z.string().optional() }),
  ),
  visit: urlConsent(),
  model: sampling(),
  where: roots(),
}

const book = defineTool({ name: 'book', description: 'Books', scopes: ['book'], inputs })

handle(book, async (_input, { input, principal }) => {
  const answer = await input.details({ message: 'When?' })
  if (answer.action === 'accept') {
    same<typeof answer.content, { seats: number; at: number; note?: string | undefined }>(true)
  } else {
    same<typeof answer.action, 'decline' | 'cancel'>(true)
    // @ts-expect-error only an accepted form has content
    void answer.content
  }
  const visited = await input.visit({ message: 'Pay', url: 'https://pay.example.com', key: 'first' })
  same<typeof visited.action, 'accept' | 'decline' | 'cancel'>(true)
  // @ts-expect-error EL-14 accepting a page says nothing of what was done there
  void visited.content
  // @ts-expect-error a page has a URL
  void input.visit({ message: 'Pay' })
  // @ts-expect-error a form has a message
  void input.details({})
  // @ts-expect-error what is not declared cannot be asked
  void input.other
  const where = await input.where()
  same<typeof where, readonly Root[]>(true)
  const { model } = await input.model({ messages: [], maxTokens: 1 })
  same<typeof model, string>(true)
  same<typeof input.can.visit, boolean>(true)
  same<ReturnType<typeof input.state.get>, unknown>(true)
  same<typeof principal.subject, string>(true)
  return 'done'
})

handle(defineTool({ name: 'quiet', description: 'Asks nothing' }), (_input, { input }) => {
  same<typeof input, undefined>(true)
  return 'done'
})

handle(definePrompt({ name: 'p', inputs: { visit: urlConsent() } }), async (_input, { input }) => {
  const { action } = await input.visit({ message: 'x', url: 'https://a.example' })
  return action
})

const template = defineResourceTemplate({
  name: 't',
  uriTemplate: 'a://{id}',
  inputs: { visit: urlConsent() },
})
handle(template, async ({ id }, { input, uri }) => {
  const { action } = await input.visit({ message: id, url: uri })
  return action
})
