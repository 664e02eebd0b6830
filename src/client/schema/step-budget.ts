import type { KeywordDefinition } from 'ajv'

const steps = 200_000

/** Bounds the work of one validation: schemas of a server may branch without end. */
export class StepBudget {
  static readonly keyword = 'x-castellan-step'
  #left = 0

  /** Counts a step wherever the keyword stands. */
  install(ajv: { addKeyword(definition: KeywordDefinition): unknown }): void {
    ajv.addKeyword({
      keyword: StepBudget.keyword,
      before: '$ref',
      errors: false,
      validate: () => {
        if (--this.#left < 0) throw new RangeError('The value takes too many steps to validate')
        return true
      },
    })
  }

  /** Runs one validation. Throws `RangeError` when it takes too many steps or nests too deeply. */
  run<T>(validation: () => T): T {
    this.#left = steps
    return validation()
  }
}
