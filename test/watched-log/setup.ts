import { afterAll, afterEach, expect } from 'vitest'
import { takeFound, watch } from './secrets.js'

/** G26 A110: nothing any test makes the product write to a log holds a secret. */
function nothingFound(): void {
  expect(takeFound(), 'secrets in the log').toEqual([])
}

afterEach(nothingFound)
afterAll(nothingFound)

for (const stream of [process.stdout, process.stderr]) {
  const write = stream.write.bind(stream) as (...args: readonly unknown[]) => boolean
  stream.write = (...args: readonly unknown[]) => {
    watch(String(args[0]))
    return write(...args)
  }
}
