import type { FastifyInstance } from 'fastify'
import type { Offer } from '../server/catalog.js'
import type { InputStateOptions } from '../server/input/state-seal.js'

/** Says once, while the app starts, that questions asked here can be answered here only. */
export function tellOwnKey(
  { log }: FastifyInstance,
  {
    tools = [],
    resources = [],
    prompts = [],
    inputState,
  }: Offer & { readonly inputState?: InputStateOptions },
): void {
  if (inputState?.keys !== undefined) return
  const definitions = [...tools, ...resources, ...prompts].map((one) =>
    'kind' in one ? one : one.definition,
  )
  if (definitions.every(({ inputs }) => inputs === undefined)) return
  log.warn(
    '`inputState.keys` is left out: other instances, and this one restarted, cannot take up its questions',
  )
}
