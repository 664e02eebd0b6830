import { CastellanError } from '../errors.js'

type StoreCode = 'ERR_STORE_UNAVAILABLE' | 'ERR_STORE_CONFLICT' | 'ERR_STORE_UNCERTAIN' | 'ERR_STORE_CORRUPT'

/**
 * A store of grants failed. The code says what is certain: nothing was written or read (`ERR_STORE_UNAVAILABLE`), this was
 * not written because somebody else may have (`ERR_STORE_CONFLICT`), it may or may not be written (`ERR_STORE_UNCERTAIN`), a
 * record is there and cannot be opened (`ERR_STORE_CORRUPT`). None of them means that a record is absent.
 */
export class StoreError extends CastellanError {
  override readonly name = 'StoreError'
  declare readonly code: StoreCode

  constructor(code: StoreCode, message?: string, cause?: unknown) {
    super(code, message, cause === undefined ? undefined : { cause })
  }
}
