import type { ModelCall, ModelTool } from 'castellan/agent'
import type { Message } from './loop.js'

/** What a model decides: tools to call, or its last words. */
export type Decision = { readonly calls: readonly ModelCall[] } | { readonly text: string }

export type Model = (history: readonly Message[], tools: readonly ModelTool[]) => Decision

/** A model that cannot think: each turn has its line, picked by how many decisions the history holds. */
export function scriptedModel(
  turns: readonly ((last: Message | undefined, tools: readonly string[]) => Decision)[],
): Model {
  return (history, tools) => {
    const turn = turns[history.filter(({ role }) => role === 'model').length]
    if (turn === undefined) throw new Error('The script is over')
    return turn(
      history.at(-1),
      tools.map(({ name }) => name),
    )
  }
}
