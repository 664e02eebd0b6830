/** How the reader of a body acts on the connection that writes it. */
export interface BodySource {
  pause(): void
  resume(): void
  abort(reason: Error): void
}

/** Bytes that may wait to be read before the connection is paused. */
const waitingBytes = 65_536
/** What is read over of a body nobody wants, so that its connection can be used again. */
const discardedBytes = 65_536
const discardMilliseconds = 20

interface Reader {
  readonly resolve: (result: IteratorResult<Uint8Array>) => void
  readonly reject: (reason: unknown) => void
}

const finished: IteratorResult<Uint8Array> = { done: true, value: undefined }

/** The body of an answer, between the connection that writes it and the one loop that reads it. */
export class HttpBody implements AsyncIterableIterator<Uint8Array> {
  readonly #source: BodySource
  readonly #chunks: Uint8Array[] = []
  #waiting = 0
  #paused = false
  #complete = false
  #failure: { readonly reason: unknown } | undefined
  #reader: Reader | undefined
  #discarded: number | undefined
  #timer: NodeJS.Timeout | undefined

  constructor(source: BodySource) {
    this.#source = source
  }

  write(chunk: Uint8Array): void {
    if (this.#discarded !== undefined) {
      this.#discarded += chunk.length
      if (this.#discarded > discardedBytes) this.#cut()
      return
    }
    const reader = this.#takeReader()
    if (reader !== undefined) {
      reader.resolve({ done: false, value: chunk })
      return
    }
    this.#chunks.push(chunk)
    this.#waiting += chunk.length
    if (this.#waiting > waitingBytes && !this.#paused) {
      this.#paused = true
      this.#source.pause()
    }
  }

  end(): void {
    this.#complete = true
    clearTimeout(this.#timer)
    this.#takeReader()?.resolve(finished)
  }

  /** What was written before is still read. */
  fail(reason: unknown): void {
    this.#complete = true
    this.#failure = { reason }
    clearTimeout(this.#timer)
    this.#takeReader()?.reject(reason)
  }

  cancel(): void {
    if (this.#discarded !== undefined) return
    this.#discarded = this.#waiting
    this.#chunks.length = 0
    this.#takeReader()?.resolve(finished)
    if (this.#complete) return
    if (this.#discarded > discardedBytes) {
      this.#cut()
      return
    }
    this.#timer = setTimeout(() => setImmediate(() => this.#cut()), discardMilliseconds)
    this.#timer.unref()
    this.#unpause()
  }

  async next(): Promise<IteratorResult<Uint8Array>> {
    if (this.#discarded !== undefined) return finished
    const chunk = this.#chunks.shift()
    if (chunk !== undefined) {
      this.#waiting -= chunk.length
      if (this.#chunks.length === 0) this.#unpause()
      return { done: false, value: chunk }
    }
    if (this.#failure !== undefined) throw this.#failure.reason
    if (this.#complete) return finished
    return new Promise((resolve, reject) => {
      this.#reader = { resolve, reject }
    })
  }

  return(): Promise<IteratorResult<Uint8Array>> {
    this.cancel()
    return Promise.resolve(finished)
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  #takeReader(): Reader | undefined {
    const reader = this.#reader
    this.#reader = undefined
    return reader
  }

  #unpause(): void {
    if (!this.#paused) return
    this.#paused = false
    this.#source.resume()
  }

  #cut(): void {
    if (!this.#complete) this.#source.abort(new Error('The rest of the answer is not wanted'))
  }
}
