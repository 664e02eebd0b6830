import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Logger, RouteValues } from '../contract/context.js'
import type { Principal } from '../oauth/principal.js'
import { eventStreamHeaders } from '../protocol/event-stream.js'
import type { Acceptance } from '../protocol/media-type.js'
import type { DispatchContext } from '../server/call.js'
import type { OpenAnswer } from '../server/subscriptions/outlet.js'
import { EventStreamBody } from './event-stream-body.js'
import { LongAnswerBody } from './long-answer-body.js'
import { principalKey } from './request-principal.js'
import type { RunningCalls } from './running-calls.js'

/** One POST and its answer: JSON, or an event stream from the first notification on. */
export class Exchange implements DispatchContext {
  readonly principal: Principal | undefined
  readonly route: RouteValues
  judged: DispatchContext['judged']
  readonly notify: ((notification: string) => Promise<void>) | undefined
  readonly #reply: FastifyReply
  readonly #running: RunningCalls
  readonly #takesJson: boolean
  #controller: AbortController | undefined
  #stream: EventStreamBody | undefined

  constructor(request: FastifyRequest, reply: FastifyReply, accepts: Acceptance, running: RunningCalls) {
    this.principal = request[principalKey]
    this.route = request.params as RouteValues
    this.#reply = reply
    this.#running = running
    this.#takesJson = accepts.json
    if (accepts.stream) this.notify = (notification) => this.#opened().notify(notification)
  }

  get log(): Logger {
    return this.#reply.log
  }

  signal(disconnectCancels: boolean): AbortSignal {
    return (this.#controller ??= this.#watch(disconnectCancels)).signal
  }

  /**
   * Sends the answer: on the stream if one was opened, else as JSON. A caller that takes streams only gets one now,
   * unless the answer has a status of its own to tell.
   */
  answer(status: number, payload: string | Buffer): FastifyReply {
    this.#running.delete(this.#controller)
    const stream = this.#stream ?? (status === 200 && !this.#takesJson ? this.#opened() : undefined)
    if (stream === undefined) {
      if (this.#running.closing && this.#reply.raw.req.httpVersionMajor === 1)
        this.#reply.header('connection', 'close')
      if (status !== 200) this.#reply.header('cache-control', 'no-store')
      return this.#reply.code(status).header('content-type', 'application/json; charset=utf-8').send(payload)
    }
    stream.finish(payload.toString())
    return this.#reply
  }

  /** A connection that carried a long answer is not used again, so that closing the app does not wait for it. */
  stream(open: OpenAnswer): FastifyReply {
    this.#running.delete(this.#controller)
    const { raw } = this.#reply
    if (raw.req.httpVersionMajor === 1) this.#reply.header('connection', 'close')
    const body = new LongAnswerBody(open)
    raw.once('close', () => body.destroy())
    return this.#reply.headers(eventStreamHeaders).send(body)
  }

  #watch(disconnectCancels: boolean): AbortController {
    const controller = new AbortController()
    const { raw } = this.#reply
    const closed = () => {
      this.#running.delete(controller)
      if (disconnectCancels && !raw.writableFinished)
        controller.abort(new DOMException('The caller is gone', 'AbortError'))
    }
    this.#running.add(controller)
    if (raw.destroyed) closed()
    else raw.once('close', closed)
    return controller
  }

  #opened(): EventStreamBody {
    if (this.#stream !== undefined) return this.#stream
    this.#stream = new EventStreamBody()
    void this.#reply.headers(eventStreamHeaders).send(this.#stream)
    return this.#stream
  }
}
