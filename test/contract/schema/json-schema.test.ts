import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import {
  outputSchema,
  toolInputSchema,
  type CompiledSchema,
  type Parsed,
} from '../../../src/contract/schema/json-schema.js'

const where = 'tool "t"'
const ajv = new Ajv2020({ strict: false, validateFormats: false })

async function parse(schema: CompiledSchema, value: unknown): Promise<Parsed> {
  return schema.parse(value)
}

describe('the root of an input', () => {
  const a = z.object({ k: z.literal('a') })
  const b = z.object({ k: z.literal('b') })

  it.each([
    ['discriminatedUnion', z.discriminatedUnion('k', [a, b]), 'oneOf'],
    ['union', z.union([a, b]), 'anyOf'],
    ['xor', z.xor([a, b]), 'oneOf'],
    ['intersection', a.describe('A').and(z.object({ x: z.string() })), 'allOf'],
  ] as const)('B059: a %s keeps its branches beside type object', (_, schema, keyword) => {
    const { json } = toolInputSchema(schema, where)
    expect(json['type']).toBe('object')
    expect(json[keyword]).toHaveLength(2)
  })

  it.each([
    ['string', z.string()],
    ['array', z.array(z.string())],
    ['nullable', a.nullable()],
    ['optional', a.optional()],
    ['default', a.default({ k: 'a' })],
    ['catch', a.catch({ k: 'a' })],
    ['any', z.any()],
    ['union with a string', z.union([a, z.string()])],
    ['nested union with null', z.union([a, z.union([b, z.null()])])],
    ['json', z.json()],
    ['never', z.never()],
  ])('B059: %s is refused with the name of the tool', (_, schema) => {
    expect(() => toolInputSchema(schema, where)).toThrow(/^tool "t": input: arguments are always an object/)
  })

  it('B059: a record, a transformed object and a recursive object are objects', () => {
    const tree = z.object({
      get children() {
        return z.array(tree)
      },
    })
    for (const schema of [
      z.record(z.string(), z.string()),
      a.transform(() => 1),
      tree,
      tree.meta({ id: 'Tree' }),
    ]) {
      expect(toolInputSchema(schema, where).json['type']).toBe('object')
    }
  })

  it('TOOL-6: without a schema nothing is taken, and the advertised schema says so', async () => {
    const compiled = toolInputSchema(undefined, where)
    expect(compiled.json).toEqual({ type: 'object', additionalProperties: false })
    expect(await parse(compiled, {})).toEqual({ ok: true, value: {} })
    expect(await parse(compiled, { a: 1 })).toMatchObject({ ok: false })
  })
})

describe('what is advertised', () => {
  it('B063: defaulted fields are optional at every depth of an input, and there in an output', () => {
    const item = z.object({
      a: z.string().default('x'),
      b: z.string().prefault('y'),
      c: z.string().optional(),
    })
    const whole = z.object({
      one: item,
      many: z.array(item),
      either: z.union([item, z.object({ d: z.string() })]),
    })
    const asInput = JSON.stringify(toolInputSchema(whole, where).json)
    expect(asInput).not.toMatch(/"required":\["a"/)
    expect(JSON.stringify(outputSchema(whole, where).json).match(/"required":\["a","b"\]/g)).toHaveLength(3)
  })

  it('B062: unknown keys are dropped, refused or kept at every depth, as advertised', async () => {
    const at = (inner: z.ZodType) => toolInputSchema(z.strictObject({ list: z.array(inner) }), where)
    const value = { list: [{ id: 'a', mispelt: 1 }] }
    const shape = { id: z.string() }
    expect(await parse(at(z.object(shape)), value)).toEqual({ ok: true, value: { list: [{ id: 'a' }] } })
    expect(await parse(at(z.looseObject(shape)), value)).toEqual({ ok: true, value })
    expect(await parse(at(z.strictObject(shape)), value)).toMatchObject({
      ok: false,
      issues: expect.stringMatching(/^list\[0\]: .*"mispelt"/),
    })
    const closed = (compiled: CompiledSchema) =>
      JSON.stringify(compiled.json).match(/"additionalProperties":false/g)
    expect(
      [at(z.object(shape)), at(z.looseObject(shape)), at(z.strictObject(shape))].map(
        (c) => closed(c)?.length,
      ),
    ).toEqual([1, 1, 2])
  })

  it('SCH-6 B071: descriptions, x-mcp-header and other keywords are carried through', () => {
    const region = z
      .string()
      .describe('Where')
      .meta({ 'x-mcp-header': 'Region', 'x-other': { a: [1] } })
      .optional()
    expect(toolInputSchema(z.object({ region }), where).json).toEqual({
      type: 'object',
      properties: {
        region: { type: 'string', description: 'Where', 'x-mcp-header': 'Region', 'x-other': { a: [1] } },
      },
    })
  })

  it('SCH-1: no dialect is named and everything is frozen', () => {
    const { json } = toolInputSchema(z.object({ a: z.array(z.string()) }), where)
    expect(json).not.toHaveProperty('$schema')
    const frozen = (value: unknown): boolean =>
      typeof value !== 'object' ||
      value === null ||
      (Object.isFrozen(value) && Object.values(value).every(frozen))
    expect(frozen(json)).toBe(true)
  })

  it('leaves out what would mislead: unknown formats, readOnly, defaults that differ each time', () => {
    const { json } = toolInputSchema(
      z.object({
        a: z.string().lowercase(),
        b: z.string().readonly(),
        c: z.string().default(() => crypto.randomUUID()),
        d: z.jwt().meta({ format: 'mine' }),
      }),
      where,
    )
    expect(json['properties']).toEqual({
      a: { type: 'string', pattern: '^[^A-Z]*$' },
      b: { type: 'string' },
      c: { type: 'string' },
      d: { type: 'string', format: 'mine' },
    })
  })

  it('B065: recursion becomes local references that resolve', () => {
    const tree = z.object({
      get children() {
        return z.array(tree)
      },
    })
    for (const schema of [tree, z.object({ root: tree }), tree.meta({ id: 'Tree' })]) {
      expect(ajv.compile({ ...toolInputSchema(schema, where).json })).toBeTypeOf('function')
    }
  })
})

describe('parsing', () => {
  it('B070: __proto__ and constructor keys change no prototype and follow the policy for unknown keys', async () => {
    const value = () =>
      JSON.parse('{"a":"x","__proto__":{"admin":true},"constructor":{"prototype":{"admin":true}}}') as unknown
    const shape = { a: z.string() }
    for (const schema of [z.object(shape), z.looseObject(shape), z.record(z.string(), z.any())]) {
      const result = await parse(toolInputSchema(schema, where), value())
      expect(result.ok).toBe(true)
      const parsed = result.ok ? (result.value as Record<string, unknown>) : {}
      expect(Object.getPrototypeOf(parsed)).toBe(Object.prototype)
      expect(parsed['admin']).toBeUndefined()
    }
    expect(await parse(toolInputSchema(z.strictObject(shape), where), value())).toMatchObject({
      ok: false,
      issues: expect.stringMatching(/"__proto__".*"constructor"/),
    })
    expect(({} as Record<string, unknown>)['admin']).toBeUndefined()
  })

  it('gives a promise only where functions of the author may give one', async () => {
    expect(toolInputSchema(z.object({ a: z.string() }), where).parse({ a: 'x' })).toEqual({
      ok: true,
      value: { a: 'x' },
    })
    let runs = 0
    const refined = z.object({ a: z.string().refine(async () => Promise.resolve(++runs > 1)) })
    const compiled = toolInputSchema(refined, where)
    expect(await parse(compiled, { a: 'x' })).toMatchObject({ ok: false })
    expect(runs).toBe(1)
    expect(await parse(compiled, { a: 'x' })).toMatchObject({ ok: true })
  })

  it('a refinement that rejects is an error of this call alone', async () => {
    const failing = z.object({ a: z.string().refine(async () => Promise.reject(new Error('down'))) })
    await expect(parse(toolInputSchema(failing, where), { a: 'x' })).rejects.toThrow('down')
  })

  it('names every field, also inside unions, and cuts long texts', async () => {
    const schema = z.object({
      limit: z.number().max(3),
      notes: z.array(z.object({ text: z.union([z.string(), z.number()]) })),
      tags: z.record(z.string().regex(/^a/), z.string()),
    })
    const result = await parse(toolInputSchema(schema, where), {
      limit: 7,
      notes: [{ text: true }],
      tags: { b: 'x' },
    })
    const issues = result.ok ? '' : result.issues
    for (const path of ['limit: ', 'notes[0].text: ', 'tags.b: ']) expect(issues).toContain(path)
    const many = Array.from({ length: 5000 }, () => ({ text: null }))
    const long = await parse(toolInputSchema(schema, where), { limit: 1, notes: many, tags: {} })
    expect(long.ok ? '' : long.issues).toMatch(/and \d+ more$/)
    const wide = z.strictObject({ a: z.string() })
    const keys = Object.fromEntries(many.map((_, index) => [`key${index}`, 1]))
    const cut = await parse(toolInputSchema(wide, where), { a: 'x', ...keys })
    expect(cut.ok ? '' : cut.issues).toHaveLength(2001)
  })

  it('SCH-5: telling what is wrong in a recursive union stays short', async () => {
    const tree: z.ZodType = z.lazy(() => z.union([z.string(), z.array(tree), z.object({ a: tree })]))
    let value: unknown = 1
    for (let depth = 0; depth < 6; depth++) value = Array.from({ length: 5 }, () => value)
    const result = await parse(toolInputSchema(z.object({ tree }), where), { tree: value })
    expect(result.ok ? '' : result.issues.length).toBeLessThan(2002)
  })

  it('B060: what is no schema is told from one', () => {
    expect(() => toolInputSchema({ _def: {} } as unknown as z.ZodType, where)).toThrow(
      /neither a zod 4 schema/,
    )
  })
})

describe('outputs', () => {
  it.each([
    ['string', z.string(), 'a'],
    ['array', z.array(z.number()), [1]],
    ['null', z.null(), null],
    ['false', z.boolean(), false],
    ['zero', z.number(), 0],
    ['union', z.union([z.string(), z.null()]), null],
    ['any', z.any(), { a: 1 }],
  ])('B068: a root %s is advertised and parsed as it is', async (_, schema, value) => {
    const compiled = outputSchema(schema, where)
    expect(await parse(compiled, value)).toEqual({ ok: true, value })
    expect(ajv.validate({ ...compiled.json }, value)).toBe(true)
  })

  it('D-16: undefined is never a result', async () => {
    expect(() => outputSchema(z.string().optional(), where)).toThrow(/never undefined/)
    for (const schema of [z.any(), z.unknown(), z.string(), z.string().default('x')]) {
      expect(await parse(outputSchema(schema, where), undefined)).toMatchObject({ ok: false })
    }
  })

  it('B061: what z.any() lets through is checked and sent as JSON', async () => {
    const compiled = outputSchema(z.object({ data: z.any() }), where)
    const date = new Date(0)
    expect(await parse(compiled, { data: { date, gone: undefined } })).toEqual({
      ok: true,
      value: { data: { date: date.toISOString() } },
    })
    expect(await parse(compiled, { data: undefined })).toMatchObject({ ok: false })
    expect(await parse(compiled, { data: 1n })).toMatchObject({
      ok: false,
      issues: 'The value has no JSON form',
    })
  })

  it('B061: defaults are filled in and extra properties are gone', async () => {
    const compiled = outputSchema(z.object({ a: z.string().default('x'), b: z.string().optional() }), where)
    expect(await parse(compiled, { b: undefined, extra: 1 })).toEqual({
      ok: true,
      value: { a: 'x', b: undefined },
    })
    expect(compiled.json).toMatchObject({ required: ['a'], additionalProperties: false })
  })
})
