/* eslint-disable @typescript-eslint/no-deprecated -- deprecated inputs are declared, too */
import {
  definePrompt,
  defineResource,
  defineResourceTemplate,
  defineTool,
  form,
  roots,
  sampling,
  urlConsent,
} from 'castellan'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { requestedSchemaProblem } from '../../../src/client/schema/requested-schema.js'

const titledChoice = z.union([
  z.literal('s').meta({ title: 'Small' }),
  z.literal('l').meta({ title: 'Large' }),
])

describe('the fields of a form', () => {
  test.each([
    [
      'text',
      z.string().min(1).max(9).describe('Yours'),
      { type: 'string', minLength: 1, maxLength: 9, description: 'Yours' },
    ],
    ['email', z.email(), { type: 'string', format: 'email' }],
    ['uri', z.url(), { type: 'string', format: 'uri' }],
    ['date', z.iso.date(), { type: 'string', format: 'date' }],
    ['date-time', z.iso.datetime(), { type: 'string', format: 'date-time' }],
    ['number', z.number().min(0.5).max(2.5), { type: 'number', minimum: 0.5, maximum: 2.5 }],
    ['integer', z.int(), { type: 'integer' }],
    ['positive', z.int().positive().lt(9), { type: 'integer', minimum: 1, maximum: 8 }],
    ['boolean', z.boolean().default(true), { type: 'boolean', default: true }],
    ['one of', z.enum(['a', 'b']).default('b'), { type: 'string', enum: ['a', 'b'], default: 'b' }],
    ['the only one', z.literal('a'), { type: 'string', enum: ['a'] }],
    [
      'named',
      z.enum(['a', 'b']).meta({ enumNames: ['A', 'B'] }),
      { type: 'string', enum: ['a', 'b'], enumNames: ['A', 'B'] },
    ],
    [
      'titled',
      titledChoice.meta({ title: 'Size' }),
      {
        type: 'string',
        title: 'Size',
        oneOf: [
          { const: 's', title: 'Small' },
          { const: 'l', title: 'Large' },
        ],
      },
    ],
    [
      'several',
      z
        .array(z.enum(['a', 'b']))
        .min(1)
        .max(2)
        .default(['a']),
      {
        type: 'array',
        minItems: 1,
        maxItems: 2,
        default: ['a'],
        items: { type: 'string', enum: ['a', 'b'] },
      },
    ],
    [
      'several titled',
      z.array(titledChoice),
      {
        type: 'array',
        items: {
          anyOf: [
            { const: 's', title: 'Small' },
            { const: 'l', title: 'Large' },
          ],
        },
      },
    ],
    ['refined', z.string().refine((value) => value !== 'x'), { type: 'string' }],
    ['transformed', z.string().transform(Number), { type: 'string' }],
  ] as const)('EL-5 %s', (_name, field, expected) => {
    const { requestedSchema } = form(z.object({ field }))
    expect(requestedSchema).toMatchObject({ type: 'object', properties: { field: expected } })
    expect((requestedSchema['properties'] as { field: object }).field).toEqual(expected)
    expect(requestedSchemaProblem(requestedSchema)).toBeUndefined()
  })

  test('EL-5 optional fields and those with a default are not required, and nothing else is sent', () => {
    const fields = z.strictObject({ a: z.string(), b: z.string().optional(), c: z.string().default('c') })
    const { properties, ...rest } = form(fields.meta({ title: 'T' })).requestedSchema
    expect(Object.keys(properties as object)).toEqual(['a', 'b', 'c'])
    expect(rest).toEqual({ type: 'object', required: ['a'] })
  })

  test.each([
    ['an object', z.object({ a: z.string() })],
    ['a list of texts', z.array(z.string())],
    ['null', z.string().nullable()],
    ['any', z.any()],
    ['a pattern', z.string().regex(/^a/)],
    ['a format forms do not know', z.uuid()],
    ['an exclusive bound no integer states', z.number().positive()],
    ['a multiple', z.number().multipleOf(5)],
    ['numbers to choose from', z.union([z.literal(1), z.literal(2)])],
    ['a record', z.record(z.string(), z.string())],
  ])('EL-5 %s is refused, and the message names it', (_name, field) => {
    expect(() => form(z.object({ field }))).toThrow(expect.objectContaining({ code: 'ERR_DEFINITION' }))
    expect(() => form(z.object({ field }))).toThrow(/form\.properties\.field/)
  })

  test.each([
    z.string(),
    z.array(z.object({ a: z.string() })),
    z.union([z.object({ a: z.string() }), z.object({ b: z.string() })]),
  ])('EL-5 a form is one object', (schema) => expect(() => form(schema)).toThrow(/one z\.object\(\)/))
})

describe('the inputs of a definition', () => {
  const inputs = {
    sure: form(z.object({ ok: z.boolean() })),
    page: urlConsent(),
    ask: sampling(),
    where: roots(),
  }

  test('are kept on tools, prompts, resources and templates', () => {
    const definitions = [
      defineTool({ name: 'a', description: 'a', inputs }),
      definePrompt({ name: 'a', inputs }),
      defineResource({ name: 'a', uri: 'a:b', inputs }),
      defineResourceTemplate({ name: 'a', uriTemplate: 'a://{b}', inputs }),
    ]
    for (const definition of definitions) expect(definition.inputs).toEqual(inputs)
    expect(defineTool({ name: 'a', description: 'a' }).inputs).toBeUndefined()
  })

  test.each(['can', 'state', '', 'a:b', 'a b', '1a', '__proto__', 'toString', 'a'.repeat(65)])(
    'the name %j is refused',
    (name) => {
      const named = Object.fromEntries([[name, urlConsent()]])
      expect(() => defineTool({ name: 'a', description: 'a', inputs: named })).toThrow(
        /is no name for an input/,
      )
    },
  )

  test.each([z.object({}), undefined, {}, { kind: 'task' }, null])('%j is no input', (wrong) => {
    expect(() => defineTool({ name: 'a', description: 'a', inputs: { x: wrong as never } })).toThrow(
      /inputs\.x must be/,
    )
  })
})
