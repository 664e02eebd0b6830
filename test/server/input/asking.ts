import {
  defineTool,
  form,
  urlConsent,
  type Inputs,
  type InputOfHandler,
  type HandlerContext,
  type Principal,
} from 'castellan'
import { handle } from 'castellan/fastify'
import { z } from 'zod'
import type { McpServer } from '../../../src/server/server.js'
import { meta } from '../../wire.js'
import { ask, type Told } from '../harness.js'

export const allOfThem = { elicitation: { form: {}, url: {} }, sampling: { tools: {} }, roots: {} }

export const sure = form(z.object({ ok: z.boolean() }))
export const page = urlConsent()
export const yes = { action: 'accept', content: { ok: true } }

/** A tool `ask` without arguments that does with its inputs what a test says. */
export function asking<Declared extends Inputs>(
  inputs: Declared,
  run: (input: InputOfHandler<Declared>, context: HandlerContext) => unknown,
) {
  const tool = defineTool({
    name: 'ask',
    description: 'Asks',
    input: z.object({ n: z.number().optional() }),
    inputs,
  })
  return handle(tool, (async (_input: unknown, context: HandlerContext) =>
    JSON.stringify(await run(context.input as InputOfHandler<Declared>, context))) as never)
}

export interface Round {
  readonly params?: Record<string, unknown>
  readonly capabilities?: Record<string, unknown>
  readonly who?: Principal | undefined
}

/** One round of a call of `ask`. */
export function round(
  on: McpServer,
  { params = {}, capabilities = allOfThem, who }: Round = {},
): Promise<Told> {
  const _meta = meta({ 'io.modelcontextprotocol/clientCapabilities': capabilities })
  return ask(on, 'tools/call', { name: 'ask', _meta, ...params }, who)
}

/** The next round: answers and the state of the last one. */
export function next(on: McpServer, last: Told, inputResponses: unknown, more: Round = {}): Promise<Told> {
  const { requestState } = last.json.result as { requestState: string }
  return round(on, { ...more, params: { requestState, inputResponses, ...more.params } })
}

/** What a finished call returned. */
export function returned({ json }: Told): unknown {
  return JSON.parse((json.result.content as [{ text: string }])[0].text)
}
