import { Ajv2020 } from 'ajv/dist/2020.js'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import type { $ZodType, $ZodTypes } from 'zod/v4/core'
import {
  outputSchema,
  toolInputSchema,
  type CompiledSchema,
  type Parsed,
} from '../../../src/contract/schema/json-schema.js'
import { refused } from './refused-constructs.js'
import { accepted, type Fit } from './zod-constructs.js'

const where = 'tool "t"'
const ajv = new Ajv2020({ strict: false, validateFormats: false })

const everywhere: readonly unknown[] = [
  ...[null, true, false, 0, 1, 2, 6, -1, 1.5, 10, 11, 1e21, 2 ** 31],
  ...['', 'a', 'b', 'x', 'abc', 'abcd', 'true', '1', ' ', '\n'],
  ...[[], ['a'], [1], [null], [[]], {}, { a: 'x' }, { a: 1 }, { b: 1 }, { id: 'a' }, { a: { b: [1] } }],
]

const everyKind: Record<$ZodTypes['_zod']['def']['type'], true> = {
  any: true,
  array: true,
  bigint: true,
  boolean: true,
  catch: true,
  custom: true,
  date: true,
  default: true,
  enum: true,
  file: true,
  function: true,
  intersection: true,
  lazy: true,
  literal: true,
  map: true,
  nan: true,
  never: true,
  nonoptional: true,
  null: true,
  nullable: true,
  number: true,
  object: true,
  optional: true,
  pipe: true,
  prefault: true,
  promise: true,
  readonly: true,
  record: true,
  set: true,
  string: true,
  success: true,
  symbol: true,
  template_literal: true,
  transform: true,
  tuple: true,
  undefined: true,
  union: true,
  unknown: true,
  void: true,
}

async function parse(schema: CompiledSchema, value: unknown): Promise<Parsed> {
  return schema.parse(value)
}

function agree(fit: Fit, zodTakes: boolean, schemaTakes: boolean): boolean {
  if (fit === 'exact') return zodTakes === schemaTakes
  if (fit === 'wider') return !zodTakes || schemaTakes
  return !schemaTakes || zodTakes
}

describe.each(accepted)('z $name', ({ schema, fit = 'exact', output, values = [] }) => {
  const tried = [...everywhere, ...values].map((value) => ({ v: value }))
  const anyValue = fc.jsonValue({ maxDepth: 3 }).map((value) => ({ v: value }))

  it('B059 B060 B062 B063: what is advertised for input is what is taken', async () => {
    const compiled = toolInputSchema(z.object({ v: schema as z.ZodType }), where)
    const validate = ajv.compile({ ...compiled.json })
    const check = async (value: unknown) => {
      const result = await parse(compiled, value)
      const advertised = validate(value)
      expect([agree(fit, result.ok, advertised), value, result]).toEqual([true, value, result])
    }
    for (const value of [{}, ...tried]) {
      if ('v' in value || fit !== 'narrower') await check(value)
    }
    await fc.assert(fc.asyncProperty(anyValue, check), { numRuns: 60 })
  })

  it('B061 B062: what is sent as output conforms to what is advertised, and parses to itself', async () => {
    const whole = z.object({ v: schema as z.ZodType })
    if (output !== undefined) {
      expect(() => outputSchema(whole, where)).toThrow(output)
      return
    }
    const compiled = outputSchema(whole, where)
    const validate = ajv.compile({ ...compiled.json })
    const check = async (value: unknown) => {
      const result = await parse(compiled, value)
      if (!result.ok) return
      const sent = JSON.parse(JSON.stringify(result.value)) as unknown
      expect([validate(sent), validate.errors, sent]).toEqual([true, null, sent])
      const again = await parse(compiled, sent)
      expect(again.ok && JSON.parse(JSON.stringify(again.value))).toEqual(sent)
    }
    for (const value of [{}, { v: undefined }, ...tried]) await check(value)
    await fc.assert(fc.asyncProperty(anyValue, check), { numRuns: 60 })
  })
})

describe('schemas that are refused', () => {
  it.each(refused)('B060: %s is refused in an input by tool and path', (_, schema, reason) => {
    const define = () => toolInputSchema(z.object({ when: schema as z.ZodType }), where)
    expect(define).toThrow(
      expect.objectContaining({ code: 'ERR_DEFINITION', message: expect.stringMatching(reason) }),
    )
    expect(define).toThrow(/^tool "t": input/)
  })

  it.each(refused)('B060: %s is refused in an output by tool and path', (_, schema, reason) => {
    const define = () => outputSchema(z.object({ when: schema as z.ZodType }), where)
    expect(define).toThrow(
      expect.objectContaining({ code: 'ERR_DEFINITION', message: expect.stringMatching(reason) }),
    )
    expect(define).toThrow(/^tool "t": output/)
  })

  it('B060: the path is told', () => {
    expect(() => toolInputSchema(z.object({ a: z.array(z.object({ when: z.date() })) }), where)).toThrow(
      'tool "t": input.properties.a.items.properties.when: z.date() has no JSON form; use z.iso.datetime()',
    )
  })

  it('B060: every kind of zod schema is in the tables', () => {
    const types = new Set<string>()
    const seen = new Set<$ZodType>()
    const visit = (schema: $ZodType) => {
      if (seen.has(schema)) return
      seen.add(schema)
      const { def } = (schema as $ZodTypes)._zod
      types.add(def.type)
      if ('innerType' in def) visit(def.innerType)
      if (def.type === 'pipe') visit(def.out)
      if (def.type === 'lazy') visit(def.getter())
    }
    for (const { schema } of accepted) visit(schema)
    for (const [, schema] of refused) visit(schema)
    expect([...types].sort()).toEqual(Object.keys(everyKind).sort())
  })
})
