import type { Exchange, Script } from './scripted-server.js'

/** The JSON text of the answer to a request. */
export function result(id: unknown, value: unknown = { resultType: 'complete', n: 1 }): string {
  return JSON.stringify({ jsonrpc: '2.0', id, result: value })
}

export function rpcError(id: unknown, code = -32602): string {
  return JSON.stringify({ jsonrpc: '2.0', id, error: { code, message: 'No' } })
}

export function progress(n: number): string {
  return JSON.stringify({ jsonrpc: '2.0', method: 'notifications/progress', params: { progress: n } })
}

export function event(data: string): string {
  return `event: message\ndata: ${data}\n\n`
}

export function chunk(text: string): string {
  return `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`
}

export const lastChunk = '0\r\n\r\n'

/** A whole answer with a length. */
export function sized(body: string, status = '200 OK', type = 'application/json', fields = ''): string {
  return `HTTP/1.1 ${status}\r\ncontent-type: ${type}\r\ncontent-length: ${Buffer.byteLength(body)}\r\n${fields}\r\n${body}`
}

export const jsonHead =
  'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n'
export const streamHead =
  'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n'

/** A whole event stream, one chunk an event. */
export function stream(...events: readonly string[]): string {
  return streamHead + events.map(chunk).join('') + lastChunk
}

/** Writes one answer and keeps the connection. */
export function answers(text: (exchange: Exchange) => string): Script {
  return (exchange) => exchange.write(text(exchange))
}

/** Writes one answer and ends the connection. */
export function answersAndEnds(text: (exchange: Exchange) => string): Script {
  return async (exchange) => {
    await exchange.write(text(exchange))
    exchange.end()
  }
}

export const good = answers(({ id }) => sized(result(id)))
