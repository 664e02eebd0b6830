import type { KeywordDefinition } from 'ajv'

const steps = 200_000
const milliseconds = 2000

/** Bounds the work of one validation: schemas of a server may branch without end. */
export class StepBudget {
  static readonly keyword = 'x-castellan-step'
  #left = 0
  #deadline = Infinity

  /** Counts a step wherever the keyword stands. */
  install(ajv: { addKeyword(definition: KeywordDefinition): unknown }): void {
    ajv.addKeyword({
      keyword: StepBudget.keyword,
      before: '$ref',
      errors: false,
      validate: () => {
        if (--this.#left < 0) throw new RangeError('The value takes too many steps to validate')
        this.checkTime()
        return true
      },
    })
  }

  /** One step may be a long one, such as a look through a long `enum`. Throws `RangeError` when the time is over. */
  checkTime(): void {
    if (performance.now() > this.#deadline) throw new RangeError('The value takes too long to validate')
  }

  /** Runs one validation. Throws `RangeError` when it takes too many steps or too long, or nests too deeply. */
  run<T>(validation: () => T): T {
    this.#left = steps
    this.#deadline = performance.now() + milliseconds
    return validation()
  }
}
