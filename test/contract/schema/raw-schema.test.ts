import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import {
  jsonSchema,
  outputSchema,
  stringValues,
  toolInputSchema,
} from '../../../src/contract/schema/json-schema.js'
import type { JsonObject } from '../../../src/protocol/json.js'

const where = 'tool "t"'
const raw = (json: JsonObject) => jsonSchema(json, (value) => ({ value }))
const input = (json: JsonObject) => toolInputSchema(raw(json), where)
const output = (json: JsonObject) => outputSchema(raw(json), where)
const nested = (depth: number): JsonObject => (depth === 0 ? {} : { type: 'array', items: nested(depth - 1) })

describe('raw JSON Schemas', () => {
  it('SCH-6: every keyword is kept, in its place and order', () => {
    const text =
      '{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object","x-b":[{"$ref":"nowhere"}],' +
      '"properties":{"b":{"$ref":"#/$defs/n"},"a":{"$ref":"#named"},"__proto__":{"type":"string"}},' +
      '"$defs":{"n":{"$anchor":"named","x-mcp-header":1,"default":{"$ref":"http://x"}}},"if":true,"unknown":null}'
    expect(JSON.stringify(input(JSON.parse(text)).json)).toBe(text)
  })

  it('is copied, so that a later change of the original is not sent', () => {
    const json = { type: 'object', properties: {} as Record<string, unknown> }
    const compiled = input(json)
    json.properties['later'] = { type: 'string' }
    expect(compiled.json).toEqual({ type: 'object', properties: {} })
  })

  it.each([
    'http://json-schema.org/draft-07/schema#',
    'https://json-schema.org/draft/2019-09/schema',
    'urn:mine',
    7,
  ])('SCH-1 SCH-2 B064: the dialect %j is refused by name', ($schema) => {
    expect(() => input({ $schema, type: 'object' })).toThrow(/^tool "t": input: .*(2020-12|"\$schema")/)
  })

  it.each([
    'http://169.254.169.254/',
    'https://example.com/schema.json#/$defs/a',
    'other.json',
    '//host/x',
    '',
  ])('SCH-3 SCH-4 B065: the reference %j is refused', ($ref) => {
    expect(() => input({ type: 'object', properties: { a: { $ref } } })).toThrow(
      /^tool "t": input\.properties\.a: the reference .* leaves the document/,
    )
  })

  it.each(['#/$defs/gone', '#gone', '#/properties/a/', '#/%zz', '#/required/0', '#/__proto__'])(
    'SCH-4 B065: the dangling reference %j is refused',
    ($ref) => {
      const json = { type: 'object', required: ['a'], properties: { a: { $ref } } }
      expect(() => input(json)).toThrow(/leads nowhere/)
      expect(() => output({ items: { $dynamicRef: $ref } })).toThrow(/leads nowhere/)
    },
  )

  it.each(['#', '#/$defs/a~1b', '#/$defs/a%2Fb~0c', '#/properties/self', '#anchored', '#/items/0'])(
    'SCH-3 B065: the local reference %j is fine',
    ($ref) => {
      const json = {
        type: 'object',
        properties: { self: { $ref } },
        $defs: { 'a/b': {}, 'a/b~c': { $anchor: 'anchored' } },
        items: true,
        prefixItems: [{}],
      }
      if ($ref === '#/items/0') expect(() => output(json)).toThrow(/leads nowhere/)
      else expect(output(json).json).toEqual(json)
    },
  )

  it('SCH-5: depth and size are bounded', () => {
    expect(() => output(nested(200))).toThrow(/nested too deeply/)
    const properties = Object.fromEntries(Array.from({ length: 10_001 }, (_, index) => [`p${index}`, {}]))
    expect(() => input({ type: 'object', properties })).toThrow(/more than 10000/)
    expect(output(nested(100)).json).toBeDefined()
  })

  it.each([
    { type: 'date' },
    { type: [] },
    { type: ['string', 'string'] },
    { properties: [] },
    { properties: { a: 'string' } },
    { properties: { a: null } },
    { required: 'a' },
    { required: ['a', 'a'] },
    { required: [1] },
    { enum: 'a' },
    { anyOf: [] },
    { allOf: {} },
    { items: [{ type: 'string' }] },
    { minimum: '1' },
    { minLength: -1 },
    { maxItems: 1.5 },
    { multipleOf: 0 },
    { pattern: '(' },
    { pattern: '\\-' },
    { patternProperties: { '(': {} } },
    { not: 7 },
    { $ref: 7 },
    { description: 7 },
    { dependentRequired: { a: 'b' } },
    { uniqueItems: 'yes' },
    { $defs: { a: { $id: 'https://example.com/a' } } },
  ])('SCH-2: %j is no valid schema', (json) => {
    expect(() => output(json as JsonObject)).toThrow(expect.objectContaining({ code: 'ERR_DEFINITION' }))
  })

  it.each([[], 'x', null, true, 1])('SCH-2: %j is no schema at all', (json) => {
    expect(() => output(json as unknown as JsonObject)).toThrow(/a JSON Schema is an object/)
  })

  it('SCH-2: a schema that is not JSON is refused', () => {
    const round: Record<string, unknown> = { type: 'object' }
    round['properties'] = { round }
    expect(() => input(round)).toThrow(/cannot be written as JSON/)
  })

  it('B059: arguments need type object at the root', () => {
    for (const json of [
      {},
      { type: 'string' },
      { anyOf: [{ type: 'object' }] },
      { type: ['object', 'null'] },
    ]) {
      expect(() => input(json)).toThrow(/needs "type": "object"/)
    }
  })

  it('B068: an output may be any schema', () => {
    for (const json of [{}, { type: 'string' }, { type: ['object', 'null'] }, { const: null }]) {
      expect(output(json).json).toEqual(json)
    }
  })

  it('answers with the value or the issues of its validator', () => {
    const even = jsonSchema<number>({ type: 'integer', multipleOf: 2 }, (value) =>
      typeof value === 'number' && value % 2 === 0 ? { value } : { issues: 'must be even' },
    )
    const { parse } = outputSchema(even, where)
    expect(parse(4)).toEqual({ ok: true, value: 4 })
    expect(parse(3)).toEqual({ ok: false, issues: 'must be even' })
    expect(parse(undefined)).toMatchObject({ ok: false })
  })
})

describe('arguments of a prompt', () => {
  const prompt = 'prompt "p": arguments'

  it('B069 PR-2: are listed with what describes them', () => {
    const style = z.enum(['short', 'long']).meta({ title: 'Style', description: 'How long' })
    const { list } = stringValues(
      z.object({
        topic: z.string().describe('About what'),
        style: style.optional(),
        tone: z.literal(['dry', 'warm']).default('dry'),
        shared: z.string().meta({ id: 'SharedArgument', description: 'Shared' }),
        either: z.union([z.email(), z.literal('none')]),
        count: z.string().transform(Number),
      }),
      prompt,
    )
    expect(list).toEqual([
      { name: 'topic', description: 'About what', required: true },
      { name: 'style', title: 'Style', description: 'How long' },
      { name: 'tone' },
      { name: 'shared', description: 'Shared', required: true },
      { name: 'either', required: true },
      { name: 'count', required: true },
    ])
    expect(Object.isFrozen(list)).toBe(true)
  })

  it('B069: optional ones may be left out, missing and wrong ones are told', async () => {
    const { parse } = stringValues(z.object({ topic: z.string(), style: z.string().optional() }), prompt)
    expect(await parse({ topic: 'x' })).toEqual({ ok: true, value: { topic: 'x' } })
    expect(await parse({})).toMatchObject({ ok: false, issues: expect.stringMatching(/^topic: /) })
    expect(await parse({ topic: 7 })).toMatchObject({ ok: false })
    expect(stringValues(z.object({}), prompt).list).toEqual([])
  })

  it.each([
    ['number', z.number()],
    ['coerce number', z.coerce.number()],
    ['nullable', z.string().nullable()],
    ['union with a number', z.union([z.string(), z.number()])],
    ['literal number', z.literal(1)],
    ['mixed literals', z.literal(['a', 1])],
    ['array', z.array(z.string())],
    ['object', z.object({})],
    ['any', z.any()],
    ['boolean', z.boolean()],
  ])('B069 PR-3: a value that is a %s is refused by name', (_, schema) => {
    expect(() => stringValues(z.object({ count: schema }), prompt)).toThrow(
      /^prompt "p": arguments\.properties\.count: values here are strings/,
    )
  })

  it.each([
    ['string', z.string()],
    ['record', z.record(z.string(), z.string())],
    ['union', z.union([z.object({ a: z.string() }), z.object({ b: z.string() })])],
    ['catchall', z.object({}).catchall(z.string())],
  ])('PR-2: a %s is no list of arguments', (_, schema) => {
    expect(() => stringValues(schema, prompt)).toThrow(/one z\.object\(\)/)
  })
})
