import { describe, expectTypeOf, it } from 'vitest'
import { z } from 'zod'
import * as mini from 'zod/mini'
import {
  jsonSchema,
  type InputOf,
  type OutputOf,
  type ParsedOf,
  type ResultOf,
  type Schema,
} from '../../../src/contract/schema/json-schema.js'

describe('the types of a schema', () => {
  it('tell both sides of a zod schema apart', () => {
    const schema = z.object({ limit: z.string().transform(Number), page: z.number().default(1) })
    type S = typeof schema
    expectTypeOf(schema).toExtend<Schema>()
    expectTypeOf<InputOf<S>>().toEqualTypeOf<{ limit: string; page?: number | undefined }>()
    expectTypeOf<ParsedOf<S>>().toEqualTypeOf<{ limit: number; page: number }>()
    expectTypeOf<OutputOf<S>>().toEqualTypeOf<InputOf<S>>()
    expectTypeOf<ResultOf<S>>().toEqualTypeOf<ParsedOf<S>>()
  })

  it('work for zod/mini and for raw schemas', () => {
    const small = mini.object({ id: mini.optional(mini.string()) })
    expectTypeOf(small).toExtend<Schema>()
    expectTypeOf<InputOf<typeof small>>().toEqualTypeOf<{ id?: string | undefined }>()
    const raw = jsonSchema({ type: 'string' }, (value) => ({ value: String(value) }))
    expectTypeOf(raw).toExtend<Schema>()
    expectTypeOf<ParsedOf<typeof raw>>().toEqualTypeOf<string>()
    expectTypeOf<InputOf<typeof raw>>().toEqualTypeOf<string>()
  })
})
