import type { IncomingHttpHeaders } from 'node:http'
import type { Dispatcher } from 'undici'
import { AddressRefusedError } from './address-guard.js'
import type { HttpOutcome } from './http-outcome.js'

type Controller = Dispatcher.DispatchController

const unwanted = new Error('The answer is not wanted')

/** Follows one request through a pool until its whole answer is there, which tells at once what went wrong, and once. */
export class WholeAnswer implements Dispatcher.DispatchHandler {
  readonly #maxBytes: number
  readonly #chunks: Buffer[] = []
  #tell: ((outcome: HttpOutcome) => void) | undefined
  #controller: Controller | undefined
  #status = 0
  #headers: IncomingHttpHeaders = {}
  #size = 0

  constructor(maxBytes: number, tell: (outcome: HttpOutcome) => void) {
    this.#maxBytes = maxBytes
    this.#tell = tell
  }

  /** Called right before the request is written; a second call would write it twice. */
  onRequestStart(controller: Controller): void {
    if (this.#tell === undefined) controller.abort(unwanted)
    else if (this.#controller === undefined) this.#controller = controller
    else this.#giveUp({ ok: false, fault: 'lost' }, controller)
  }

  onResponseStart(controller: Controller, status: number, headers: IncomingHttpHeaders): void {
    if (status < 200) return
    if (status >= 300 && status < 400) this.#giveUp({ ok: false, fault: 'redirect', status }, controller)
    this.#status = status
    this.#headers = headers
  }

  onResponseData(controller: Controller, chunk: Buffer): void {
    this.#size += chunk.length
    if (this.#size > this.#maxBytes) this.#giveUp({ ok: false, fault: 'size' }, controller)
    else this.#chunks.push(chunk)
  }

  onResponseEnd(): void {
    const [first] = this.#chunks
    const body = this.#chunks.length === 1 && first ? first : Buffer.concat(this.#chunks)
    this.#settle({ ok: true, status: this.#status, headers: this.#headers, body })
  }

  onResponseError(_controller: Controller | undefined, error: Error): void {
    if (error instanceof AddressRefusedError) this.#settle({ ok: false, fault: 'refused' })
    else this.#settle({ ok: false, fault: this.#controller === undefined ? 'unreachable' : 'lost' })
  }

  /** Waits no longer. */
  stop(fault: 'stopped' | 'timeout'): void {
    this.#giveUp({ ok: false, fault }, this.#controller)
  }

  #giveUp(outcome: HttpOutcome, controller: Controller | undefined): void {
    this.#settle(outcome)
    controller?.abort(unwanted)
  }

  #settle(outcome: HttpOutcome): void {
    this.#tell?.(outcome)
    this.#tell = undefined
  }
}
