import type { HandlerContext } from '../contract/context.js'
import { isJsonObject, type JsonObject } from '../protocol/json.js'
import { keyOf } from '../server/input/questions.js'

type Ask = (asked?: JsonObject) => unknown

interface AtOnce {
  readonly prepare: HandlerContext
  /** The context of the handler, once `prepare` has given what it gives. */
  handler(prepared: unknown): HandlerContext & { readonly prepared: unknown }
}

/**
 * The contexts of a call whose client waits for the result. As in a task, the handler may ask under a key under which
 * `prepare` asked already.
 */
export function atOnce(context: HandlerContext): AtOnce {
  const { principal, signal, log, route, protocol, progress, input } = context
  const facts = { principal, signal, log, route, protocol, progress }
  const used = new Set<string>()
  const first = through(input, (name, asked) => {
    used.add(keyOf(name, asked))
    return asked
  })
  const second = through(input, (name, asked) => {
    const { key } = asked
    if (!used.has(keyOf(name, asked))) return asked
    return { ...asked, key: typeof key === 'string' ? `${key}.task` : 'task' }
  })
  return {
    prepare: { ...facts, input: first },
    handler: (prepared) => ({ ...facts, input: second, prepared }),
  }
}

/** The same `ctx.input`, whose questions are put otherwise. */
function through(input: unknown, put: (name: string, asked: JsonObject) => JsonObject): unknown {
  if (!isJsonObject(input)) return input
  const members = Object.entries(input).map(([name, member]): [string, unknown] => [
    name,
    typeof member === 'function' ? (asked: JsonObject = {}) => (member as Ask)(put(name, asked)) : member,
  ])
  return Object.freeze(Object.fromEntries(members))
}
