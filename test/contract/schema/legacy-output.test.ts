import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { jsonSchema, outputSchema, type Schema } from '../../../src/contract/schema/json-schema.js'
import { legacyOutputSchema, legacyWraps } from '../../../src/contract/schema/legacy-output.js'

const ajv = new Ajv2020({ strict: false, validateFormats: false })
const tree = z.object({
  get children() {
    return z.array(tree)
  },
})
const list: z.ZodType = z.lazy(() => z.array(list))
const a = z.object({ k: z.literal('a'), x: z.string() })
const b = z.object({ k: z.literal('b') })
const untagged = z.union([z.object({ x: z.string() }), z.object({ y: z.string() })])
const json = (schema: Schema) => outputSchema(schema, 'tool "t"').json

describe('results for 2025-11-25 clients', () => {
  it.each([
    ['object', a, { k: 'a', x: 'x' }],
    ['record', z.record(z.string(), z.number()), { a: 1 }],
    ['discriminatedUnion', z.discriminatedUnion('k', [a, b]), { k: 'b' }],
    ['nested discriminatedUnion', z.discriminatedUnion('k', [a, z.discriminatedUnion('k', [b])]), { k: 'b' }],
    [
      'discriminatedUnion of ids',
      z.discriminatedUnion('k', [a.meta({ id: 'A' }), b.meta({ id: 'B' })]),
      { k: 'b' },
    ],
    ['tagged union', z.union([a, b]), { k: 'b' }],
    ['recursive object', tree, { children: [{ children: [] }] }],
    ['recursive object with id', tree.meta({ id: 'Tree' }), { children: [{ children: [] }] }],
    ['intersection', z.object({ x: z.string() }).and(z.object({ y: z.string() })), { x: '', y: '' }],
  ])('D-6: a %s stays and has type object', (_, schema, value) => {
    expect(legacyWraps(json(schema))).toBe(false)
    const legacy = legacyOutputSchema(json(schema))
    expect(legacy['type']).toBe('object')
    expect(ajv.validate({ ...legacy }, value)).toBe(true)
  })

  it.each([
    ['string', z.string(), 'a', 1],
    ['array', z.array(z.string()), ['a'], [1]],
    ['tuple', z.tuple([z.string()]), ['a'], [1]],
    ['nullable object', a.nullable(), null, {}],
    ['union with a scalar', z.union([a, z.string()]), 'a', 1],
    ['untagged union', untagged, { x: 'x' }, { x: 1 }],
    ['enum', z.enum(['a', 'b']), 'b', 'c'],
    ['literal', z.literal(1), 1, 2],
    ['null', z.null(), null, 0],
    ['recursive array', list, [[], [[]]], [1]],
    ['json', z.json(), { a: [null] }, undefined],
    [
      'array of recursive objects',
      z.array(tree.meta({ id: 'Tree2' })),
      [{ children: [] }],
      [{ children: [1] }],
    ],
    ['array of recursive lists', z.array(z.object({ list })), [{ list: [[]] }], [{ list: [1] }]],
  ])('D-6: a %s is wrapped and its references still lead somewhere', (_, schema, value, wrong) => {
    expect(legacyWraps(json(schema))).toBe(true)
    const validate = ajv.compile({ ...legacyOutputSchema(json(schema)) })
    expect(validate({ value })).toBe(true)
    expect(validate({})).toBe(false)
    expect(validate(value)).toBe(false)
    expect(validate({ value: wrong })).toBe(false)
  })

  it('D-6: any JSON is wrapped', () => {
    expect(legacyOutputSchema(json(z.any()))).toEqual({
      type: 'object',
      properties: { value: {} },
      required: ['value'],
    })
  })

  it('B065: references in a wrapped raw schema follow it, data does not change', () => {
    const raw = jsonSchema(
      {
        $schema: 'https://json-schema.org/draft/2020-12/schema',
        type: 'array',
        items: { anyOf: [{ $ref: '#' }, { $ref: '#/$defs/n' }, { $ref: '#named' }] },
        default: [{ $ref: '#/x' }],
        $defs: { n: { type: 'number' }, m: { $anchor: 'named', type: 'string' } },
      },
      (value) => ({ value }),
    )
    const legacy = legacyOutputSchema(json(raw))
    expect(legacy).toEqual({
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'object',
      properties: {
        value: {
          type: 'array',
          items: {
            anyOf: [
              { $ref: '#/properties/value' },
              { $ref: '#/properties/value/$defs/n' },
              { $ref: '#named' },
            ],
          },
          default: [{ $ref: '#/x' }],
          $defs: { n: { type: 'number' }, m: { $anchor: 'named', type: 'string' } },
        },
      },
      required: ['value'],
    })
    const validate = ajv.compile({ ...legacy })
    expect(validate({ value: [1, 'a', [2]] })).toBe(true)
    expect(validate({ value: [true] })).toBe(false)
  })

  it('B065: references in a wrapped schema with an $id stay inside it', () => {
    const raw = jsonSchema(
      { $id: 'https://example.com/list', type: 'array', items: { $ref: '#' } },
      (value) => ({ value }),
    )
    const validate = ajv.compile({ ...legacyOutputSchema(json(raw)) })
    expect(validate({ value: [[], [[]]] })).toBe(true)
    expect(validate({ value: [1] })).toBe(false)
  })

  it('D-6: tags that may be absent or the same do not tell branches apart', () => {
    const same = z.union([z.object({ k: z.literal('a'), x: z.string() }), z.object({ k: z.literal('a') })])
    const absent = z.union([z.object({ k: z.literal('a').optional() }), z.object({ k: z.literal('b') })])
    expect(legacyWraps(json(same))).toBe(true)
    expect(legacyWraps(json(absent))).toBe(true)
  })
})
