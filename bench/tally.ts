import { setTimeout as pause } from 'node:timers/promises'
import { usedBy, usedHere } from './processor-time.js'

/** What one process keeps while it asks without end. */
export class Tally {
  readonly latencies: number[] = []
  refused = 0
  #answers = 0
  #isMeasuring = false

  /** One answer, `milliseconds` after its question. */
  add(milliseconds: number): void {
    this.#answers += 1
    if (this.#isMeasuring) this.latencies.push(milliseconds)
  }

  /** Warms up, then measures for some seconds; `pid` is the process that answers. */
  async measured(seconds: number, pid: number) {
    await this.#warmUp()
    const [here, there, start] = [usedHere(), usedBy(pid), performance.now()]
    this.#isMeasuring = true
    await pause(seconds * 1000)
    this.#isMeasuring = false
    return { milliseconds: performance.now() - start, here: usedHere() - here, there: usedBy(pid) - there }
  }

  /** A busy machine answers slowly, and what was not called often is not compiled yet. */
  async #warmUp(): Promise<void> {
    const begun = performance.now()
    const seconds = () => (performance.now() - begun) / 1000
    while (seconds() < 1.5 || (seconds() < 6 && this.#answers < 8000)) await pause(100)
  }
}
