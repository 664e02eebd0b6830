import type { InputDeclaration } from '../../contract/input/inputs.js'
import { isJsonObject, type JsonObject } from '../../protocol/json.js'

/** What a client is asked, and what it must have declared to be asked that. */
export interface Question {
  /** An input request of the protocol. */
  readonly request: JsonObject
  readonly needs: JsonObject
}

/** Writes a question. Throws `TypeError` for what no client could be sent (MCP 2026-07-28, EL-3, EL-4, SA-2). */
export function question(declaration: InputDeclaration, asked: JsonObject): Question {
  const needs = neededFor(declaration, asked)
  switch (declaration.kind) {
    case 'form': {
      const { requestedSchema } = declaration
      return { needs, request: elicitation({ mode: 'form', message: messageOf(asked), requestedSchema }) }
    }
    case 'url':
      return {
        needs,
        request: elicitation({ mode: 'url', message: messageOf(asked), url: pageOf(asked['url']) }),
      }
    case 'sampling': {
      if (!Array.isArray(asked['messages']) || !Number.isSafeInteger(asked['maxTokens'])) {
        throw new TypeError('Sampling takes `messages` and `maxTokens`')
      }
      return { needs, request: { method: 'sampling/createMessage', params: { ...asked, key: undefined } } }
    }
    case 'roots':
      return { needs, request: { method: 'roots/list' } }
  }
}

/** The client capabilities an input takes. */
export function neededFor({ kind }: InputDeclaration, { tools, toolChoice }: JsonObject = {}): JsonObject {
  if (kind === 'form' || kind === 'url') return { elicitation: { [kind]: {} } }
  if (kind === 'roots') return { roots: {} }
  return { sampling: tools === undefined && toolChoice === undefined ? {} : { tools: {} } }
}

/** Whether a client declared what is needed; `elicitation: {}` means forms (EL-1). */
export function declares(capabilities: JsonObject, needs: JsonObject): boolean {
  return Object.entries(needs).every(([name, inner]) => {
    const declared = capabilities[name]
    if (!isJsonObject(declared)) return false
    return Object.keys(inner as object).every(
      (mode) =>
        isJsonObject(declared[mode]) || (mode === 'form' && !('form' in declared || 'url' in declared)),
    )
  })
}

function elicitation(params: JsonObject): JsonObject {
  return { method: 'elicitation/create', params }
}

function messageOf({ message }: JsonObject): string {
  if (typeof message === 'string' && message !== '') return message
  throw new TypeError('A question has a `message`')
}

function pageOf(url: unknown): string {
  if (typeof url === 'string' && URL.canParse(url)) {
    const { protocol, username, password } = new URL(url)
    if (/^https?:$/.test(protocol) && username === '' && password === '') return url
  }
  throw new TypeError('`url` must be an http or https URL without credentials')
}
