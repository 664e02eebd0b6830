import { event, result, rpcError, sized, stream } from './answers.js'
import { told, type Fault } from './fault.js'

const envelopes: readonly (readonly [string, (id: string) => string])[] = [
  ['another id (WIRE-4)', (id) => result(`${id}0`)],
  ['an id of another type (G-65)', () => result(1)],
  ['an id of null', () => result(null)],
  ['no id', () => result(undefined)],
  ['an error for another id', () => rpcError('other')],
  ['neither result nor error', (id) => message({ id })],
  ['result and error', (id) => message({ id, result: {}, error: { code: 1, message: '' } })],
  ['a result that is no object (WIRE-5)', (id) => result(id, [1])],
  ['a result of null', (id) => result(id, null)],
  ['an error that is no object', (id) => message({ id, error: 'no' })],
  ['a code that is no integer', (id) => rpcError(id, 1.5)],
  ['an error without message', (id) => message({ id, error: { code: 1 } })],
  ['another version of JSON-RPC', (id) => JSON.stringify({ jsonrpc: '1.0', id, result: {} })],
  ['no version of JSON-RPC', (id) => JSON.stringify({ id, result: {} })],
  ['a request of the server (WIRE-7)', (id) => message({ id, method: 'ping' })],
]

/** Messages that answer nothing, in both forms; on a stream a right answer after them changes nothing. */
export const envelopeFaults: readonly Fault[] = envelopes.flatMap(([name, text]) => [
  told(`JSON: ${name}`, 'unknown: malformed', ({ id }) => sized(text(id))),
  told(`stream: ${name}`, 'unknown: malformed', ({ id }) => stream(event(text(id)), event(result(id)))),
])

function message(members: object): string {
  return JSON.stringify({ jsonrpc: '2.0', ...members })
}
