import type { Principal } from '../../../src/oauth/principal.js'
import type { Answer } from '../../../src/server/dispatch.js'
import type { McpServer } from '../../../src/server/server.js'
import type { LongAnswer, Outlet } from '../../../src/server/subscriptions/outlet.js'
import { meta } from '../../wire.js'
import { silent } from '../harness.js'

/** A reader in this process that can be made slow. */
export class Reader implements Outlet {
  readonly messages: any[] = []
  beats = 0
  ended = false
  wasCut = false
  isSlow = false
  answer!: LongAnswer

  send(message: string): boolean {
    this.messages.push(JSON.parse(message))
    return !this.isSlow
  }

  beat(): void {
    this.beats++
  }

  end(response: string): void {
    this.ended = true
    this.messages.push(JSON.parse(response))
  }

  cut(): void {
    this.wasCut = true
    this.answer.closed()
  }

  /** The methods of the notifications, in order. */
  get methods(): string[] {
    return this.messages.map(({ method }) => method as string).filter(Boolean)
  }
}

export interface Request {
  readonly id?: unknown
  readonly principal?: Principal
  readonly capabilities?: object
  readonly streams?: boolean
}

/** Sends a listen request past any carrier. */
export function send(on: McpServer, params: object, request: Request = {}): Promise<Answer> {
  const { id = 1, principal, capabilities = {}, streams = true } = request
  const _meta = meta({ 'io.modelcontextprotocol/clientCapabilities': capabilities })
  const body = { jsonrpc: '2.0', id, method: 'subscriptions/listen', params: { _meta, ...params } }
  return on.dispatch(
    { body, id: JSON.stringify(id) },
    {
      principal,
      log: silent,
      notify: streams ? () => undefined : undefined,
      signal: () => new AbortController().signal,
    },
  )
}

/** Opens a stream that must be granted. */
export async function open(on: McpServer, notifications: object, request: Request = {}): Promise<Reader> {
  const answer = await send(on, { notifications }, request)
  if (answer.kind !== 'stream') throw new Error(`no stream: ${JSON.stringify(answer)}`)
  const reader = new Reader()
  reader.answer = answer.open(reader)
  return reader
}

/** The error of a listen request that must be refused. */
export async function refused(on: McpServer, params: object, request: Request = {}): Promise<any> {
  const answer = await send(on, params, request)
  if (answer.kind !== 'error') throw new Error(`no error: ${answer.kind}`)
  return { status: answer.status, ...JSON.parse(answer.payload).error }
}
