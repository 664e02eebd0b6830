import type { InputDeclaration, Inputs } from '../../contract/input/inputs.js'
import type { JsonObject } from '../../protocol/json.js'
import { keySyntax } from './answer.js'
import { declares, neededFor, question, type Question } from './question.js'

/** Bytes of JSON a handler may leave for the next round. */
const longestState = 4096

/** What a run of a handler asked and left, when it could not go on. */
export interface Unanswered {
  readonly questions: ReadonlyMap<string, Question>
  /** What the handler keeps for the next round. */
  readonly value: unknown
}

/** What is known before a run. */
interface Beginning {
  readonly declared: Inputs
  readonly capabilities: JsonObject
  /** Typed answers by key. */
  readonly answers: ReadonlyMap<string, unknown>
  /** What the last round left. */
  readonly value: unknown
  /** Ends the call with questions instead of a result. */
  readonly end: (unanswered: Unanswered) => Promise<unknown>
}

/**
 * The questions of one run of a handler. What is asked in one turn of the event loop is asked together; then the run is
 * given up: its signal aborts, its questions reject, and once it has unwound, whatever it returns or throws is dropped.
 */
export class Questions {
  /** What the handler has as `input`. */
  readonly face: JsonObject
  readonly #beginning: Beginning
  readonly #asked = new Map<string, Question>()
  readonly #used = new Set<string>()
  readonly #abandoned = new AbortController()
  readonly #givenUp: Promise<void>
  #turn: NodeJS.Immediate | undefined
  #value: string | undefined
  #signal: AbortSignal | undefined

  constructor(beginning: Beginning) {
    this.#beginning = beginning
    this.#value = JSON.stringify(beginning.value)
    this.face = this.#facing(beginning)
    const { signal } = this.#abandoned
    this.#givenUp = new Promise((resolve) =>
      signal.addEventListener('abort', () => resolve(), { once: true }),
    )
  }

  /** Aborts with `outer`, and when the run is given up. */
  signalWith(outer: AbortSignal): AbortSignal {
    return (this.#signal ??= AbortSignal.any([outer, this.#abandoned.signal]))
  }

  /** Runs a handler to its end, or to the questions it cannot go on without. */
  async during(run: () => unknown): Promise<unknown> {
    const running = (async () => await run())()
    const settled = running.then(
      () => undefined,
      () => undefined,
    )
    await Promise.race([settled, this.#givenUp])
    if (!this.#abandoned.signal.aborted) {
      clearImmediate(this.#turn)
      return await running
    }
    const unanswered = { questions: new Map(this.#asked), value: stateOf(this.#value) }
    await settled
    return await this.#beginning.end(unanswered)
  }

  #facing({ declared, capabilities }: Beginning): JsonObject {
    const asks = Object.entries(declared).map(([name, declaration]): [string, unknown] => [
      name,
      (asked: JsonObject = {}) => heard(this.#ask(name, declaration, asked)),
    ])
    const declarable = Object.entries(declared).map(([name, declaration]): [string, boolean] => [
      name,
      declares(capabilities, neededFor(declaration)),
    ])
    const state = Object.freeze({
      get: () => stateOf(this.#value),
      set: (value: unknown) => {
        const text = stateText(value)
        if (!this.#abandoned.signal.aborted) this.#value = text
      },
    })
    const can = Object.freeze(Object.fromEntries(declarable))
    return Object.freeze({ ...Object.fromEntries(asks), can, state })
  }

  async #ask(name: string, declaration: InputDeclaration, asked: JsonObject): Promise<unknown> {
    this.#abandoned.signal.throwIfAborted()
    const key = keyOf(name, asked)
    const put = question(declaration, asked)
    if (this.#used.has(key)) throw askedTwice(key)
    this.#used.add(key)
    const { answers } = this.#beginning
    if (answers.has(key)) return answers.get(key)
    this.#asked.set(key, put)
    this.#turn ??= setImmediate(() => this.#abandoned.abort(givenUp()))
    await this.#givenUp
    throw givenUp()
  }
}

function givenUp(): DOMException {
  return new DOMException('The question is put first; the handler starts again with the answer', 'AbortError')
}

/** One that nobody waits for must not end the process when it rejects. */
export function heard(answer: Promise<unknown>): Promise<unknown> {
  answer.catch(() => undefined)
  return answer
}

/** The key of a question: its input's name, with the `key` of the handler behind it. Throws `TypeError`. */
export function keyOf(name: string, { key }: JsonObject): string {
  if (key === undefined) return name
  const full = `${name}:${typeof key === 'string' ? key : ''}`
  if (keySyntax.test(full)) return full
  throw new TypeError('A `key` is 1 to 64 letters, digits, "_", "." and "-"')
}

/** An answer belongs to one question: another one must not take it for its own. */
export function askedTwice(key: string): TypeError {
  return new TypeError(`${key} is asked twice in one call: give each its own \`key\``)
}

function stateText(value: unknown): string | undefined {
  if (value === undefined) return undefined
  const text = JSON.stringify(value) as string | undefined
  if (text === undefined) throw new TypeError('A state is a JSON value')
  if (Buffer.byteLength(text) <= longestState) return text
  throw new RangeError(`A state is at most ${longestState} bytes of JSON`)
}

function stateOf(text: string | undefined): unknown {
  return text === undefined ? undefined : JSON.parse(text)
}
