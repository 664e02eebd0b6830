import { z } from 'zod'
import type { $ZodType } from 'zod/v4/core'
import * as mini from 'zod/mini'

/**
 * How the advertised schema relates to what zod takes: the same, `wider` (it admits more, since a refinement is not
 * advertised), or `narrower` (zod puts up with more, since it coerces or repairs).
 */
export type Fit = 'exact' | 'wider' | 'narrower'

export interface Accepted {
  readonly name: string
  readonly schema: $ZodType
  readonly fit?: Fit
  /** Why the same schema is refused in an output, when it is. */
  readonly output?: RegExp
  /** Values worth trying beside those tried on every schema. */
  readonly values?: readonly unknown[]
}

const node = z.object({
  value: z.string(),
  get children() {
    return z.array(node)
  },
})
const lazyNode: z.ZodType = z.lazy(() => z.object({ next: lazyNode.optional() }))
const shared = z.object({ id: z.string() })
const people = [{ id: 'a' }, { id: 'a', extra: 1 }, { id: 1 }, { a: 'x' }, { b: 1 }, { a: 'x', b: 1 }]
const tagged = [{ k: 'a', x: 'x' }, { k: 'b', y: 1 }, { k: 'a' }, { k: 'c' }, { k: 'a', x: 'x', z: 1 }]

export const strings: readonly Accepted[] = [
  { name: 'string', schema: z.string() },
  { name: 'string min max length', schema: z.string().min(1).max(3) },
  { name: 'string length', schema: z.string().length(3) },
  { name: 'string regex', schema: z.string().regex(/^a+$/), values: ['aaa', 'aab'] },
  { name: 'string regex u', schema: z.string().regex(/^\p{Lu}+$/u), values: ['AÉ', 'aé'] },
  { name: 'string two patterns', schema: z.string().regex(/^a/).regex(/z$/), values: ['az', 'a', 'z'] },
  { name: 'string startsWith', schema: z.string().startsWith('a.'), values: ['a.b', 'axb', 'a.\nb'] },
  { name: 'string endsWith', schema: z.string().endsWith('.b'), values: ['a.b', 'a\n.b', 'a.b\n'] },
  { name: 'string includes', schema: z.string().includes('a.b'), values: ['xa.bx', 'axb'] },
  { name: 'string lowercase', schema: z.string().lowercase(), values: ['abc', 'Abc'] },
  { name: 'string uppercase', schema: z.string().uppercase(), values: ['ABC', 'Abc'] },
  { name: 'string refine', schema: z.string().refine((value) => value !== 'abc'), fit: 'wider' },
  { name: 'string async refine', schema: z.string().refine(async (value) => value !== 'abc'), fit: 'wider' },
  { name: 'string superRefine', schema: z.string().superRefine(() => undefined) },
  { name: 'string check', schema: z.string().check(z.minLength(2)) },
  { name: 'string trim', schema: z.string().trim() },
  { name: 'string trim min', schema: z.string().trim().min(1), fit: 'wider', values: ['  ', ' a '] },
  { name: 'string toLowerCase', schema: z.string().toLowerCase(), values: ['ABC'] },
  { name: 'string normalize', schema: z.string().normalize() },
  {
    name: 'string min trim',
    schema: z.string().min(2).trim(),
    output: /change the value first/,
    values: ['  '],
  },
  { name: 'string coerce', schema: z.coerce.string(), fit: 'narrower' },
  { name: 'string brand', schema: z.string().brand('id') },
  { name: 'string describe', schema: z.string().describe('words') },
  { name: 'string meta', schema: z.string().meta({ title: 'T', examples: ['a'] }) },
  {
    name: 'mini described and trimmed',
    schema: mini.string().check(mini.describe('a'), mini.meta({ title: 'b' }), mini.trim()),
  },
  { name: 'mini string', schema: mini.string().check(mini.minLength(2)) },
  {
    name: 'template literal',
    schema: z.templateLiteral(['v', z.int(), '-', z.enum(['a', 'b'])]),
    values: ['v1-a', 'v1-c'],
  },
]

export const formats: readonly Accepted[] = [
  { name: 'email', schema: z.email(), values: ['a@b.co', 'a@b'] },
  { name: 'uuid', schema: z.uuid(), values: ['550e8400-e29b-41d4-a716-446655440000', '550e8400'] },
  { name: 'uuidv7', schema: z.uuidv7() },
  { name: 'guid', schema: z.guid() },
  { name: 'url', schema: z.url(), fit: 'wider', values: ['https://a.b/c', 'not a url'] },
  { name: 'httpUrl', schema: z.httpUrl(), fit: 'wider', values: ['https://a.b/c', 'mailto:a@b.co'] },
  { name: 'hostname', schema: z.hostname(), values: ['a.example', '-a'] },
  { name: 'emoji', schema: z.emoji(), values: ['\u{1F600}', 'a'] },
  { name: 'base64', schema: z.base64(), fit: 'wider', values: ['YQ==', 'YQ', ''] },
  { name: 'base64url', schema: z.base64url(), fit: 'wider', values: ['YQ', 'YQ=='] },
  { name: 'nanoid', schema: z.nanoid(), values: ['V1StGXR8_Z5jdHi6B-myT'] },
  { name: 'cuid', schema: z.string().check(z.regex(/^c[0-9a-z]{6,}$/)), values: ['cabcdef1'] },
  { name: 'cuid2', schema: z.cuid2() },
  { name: 'ulid', schema: z.ulid(), values: ['01ARZ3NDEKTSV4RRFFQ69G5FAV'] },
  { name: 'xid', schema: z.xid() },
  { name: 'ksuid', schema: z.ksuid() },
  { name: 'ipv4', schema: z.ipv4(), values: ['127.0.0.1', '256.0.0.1'] },
  { name: 'ipv6', schema: z.ipv6(), fit: 'wider', values: ['::1', ':::'] },
  { name: 'mac', schema: z.mac(), values: ['00:1a:2b:3c:4d:5e'] },
  { name: 'cidrv4', schema: z.cidrv4(), values: ['10.0.0.0/8', '10.0.0.0/33'] },
  { name: 'cidrv6', schema: z.cidrv6(), fit: 'wider', values: ['::/0'] },
  { name: 'e164', schema: z.e164(), values: ['+4912345678', '0123'] },
  { name: 'jwt', schema: z.jwt(), fit: 'wider', values: ['a.b.c'] },
  { name: 'hash', schema: z.hash('sha256'), values: ['a'.repeat(64)] },
  { name: 'hex', schema: z.hex(), values: ['0aF', 'xyz'] },
  { name: 'stringFormat', schema: z.stringFormat('even', (value) => value.length % 2 === 0), fit: 'wider' },
  { name: 'iso date', schema: z.iso.date(), values: ['2024-02-29', '2023-02-29'] },
  { name: 'iso time', schema: z.iso.time(), values: ['10:00', '10:00:00Z'] },
  { name: 'iso datetime', schema: z.iso.datetime(), values: ['2024-05-06T07:08:09Z', '2024-05-06T07:08:09'] },
  { name: 'iso datetime local', schema: z.iso.datetime({ local: true }), values: ['2024-05-06T07:08:09'] },
  {
    name: 'iso datetime offset',
    schema: z.iso.datetime({ offset: true }),
    values: ['2024-05-06T07:08:09+01:00'],
  },
  { name: 'iso duration', schema: z.iso.duration(), values: ['P1D', 'P'] },
]

export const scalars: readonly Accepted[] = [
  { name: 'number', schema: z.number() },
  { name: 'number range', schema: z.number().gt(0).lte(10) },
  { name: 'number multipleOf', schema: z.int().multipleOf(2) },
  { name: 'number multipleOf twice', schema: z.int().multipleOf(2).multipleOf(3), values: [6, 12, 4] },
  { name: 'int', schema: z.int(), values: [2 ** 53, 1.5, -3] },
  { name: 'int32', schema: z.int32(), values: [2 ** 31, -(2 ** 31)] },
  { name: 'uint32', schema: z.uint32(), values: [-1, 2 ** 32] },
  { name: 'float32', schema: z.float32(), values: [1e39] },
  { name: 'float64', schema: z.float64() },
  { name: 'number coerce', schema: z.coerce.number(), fit: 'narrower' },
  { name: 'boolean', schema: z.boolean() },
  { name: 'boolean coerce', schema: z.coerce.boolean(), fit: 'narrower' },
  { name: 'null', schema: z.null() },
  { name: 'any', schema: z.any() },
  { name: 'unknown', schema: z.unknown() },
  { name: 'never', schema: z.never() },
  { name: 'literal', schema: z.literal('abc') },
  { name: 'literals', schema: z.literal(['abc', 1, null, true]) },
  { name: 'enum', schema: z.enum(['abc', 'b']) },
  { name: 'enum object', schema: z.enum({ Yes: 'abc', No: 'b' }) },
  { name: 'enum numbers', schema: z.enum({ A: 1, B: 2 }) },
  { name: 'keyof', schema: z.object({ abc: z.string() }).keyof() },
]

export const composites: readonly Accepted[] = [
  { name: 'object', schema: z.object({ id: z.string() }), values: people },
  { name: 'strictObject', schema: z.strictObject({ id: z.string() }), values: people },
  { name: 'looseObject', schema: z.looseObject({ id: z.string() }), values: people },
  { name: 'catchall', schema: z.object({ id: z.string() }).catchall(z.number()), values: people },
  { name: 'object partial', schema: z.object({ a: z.string(), b: z.number() }).partial(), values: people },
  { name: 'object extend', schema: shared.extend({ b: z.number() }), values: [{ id: 'a', b: 1 }] },
  { name: 'object exactOptional', schema: z.object({ a: z.string().exactOptional() }), values: people },
  { name: 'object refine', schema: shared.refine(({ id }) => id !== 'a'), fit: 'wider', values: people },
  {
    name: 'object nested',
    schema: z.object({ in: z.object({ a: z.string() }) }),
    values: [{ in: { a: 'x', b: 1 } }],
  },
  { name: 'object any', schema: z.object({ a: z.any(), b: z.unknown().optional() }), values: people },
  {
    name: 'object shared',
    schema: z.object({ a: shared, b: shared }),
    values: [{ a: { id: 'x' }, b: { id: 'y' } }],
  },
  {
    name: 'object with ids',
    schema: z.object({ a: shared.meta({ id: 'Shared' }) }),
    values: [{ a: { id: 'x' } }],
  },
  { name: 'constructor key', schema: z.object({ constructor: z.string() }), values: [{ constructor: 'x' }] },
  { name: 'mini object', schema: mini.object({ id: mini.optional(mini.string()) }), values: people },
  { name: 'array', schema: z.array(z.string()) },
  { name: 'array length', schema: z.array(z.string()).min(1).max(2), values: [['a', 'b', 'c']] },
  {
    name: 'tuple',
    schema: z.tuple([z.string(), z.number()]),
    values: [
      ['a', 1],
      ['a', 1, 2],
    ],
  },
  {
    name: 'tuple rest',
    schema: z.tuple([z.string()], z.number()),
    values: [
      ['a', 1, 2],
      ['a', 'b'],
    ],
  },
  { name: 'tuple optional', schema: z.tuple([z.string(), z.number().optional()]), output: /becomes null/ },
  { name: 'array optional', schema: z.array(z.string().optional()), output: /becomes null/ },
  { name: 'record', schema: z.record(z.string(), z.number()), values: people },
  { name: 'record pattern', schema: z.record(z.string().regex(/^a/), z.string()), values: people },
  {
    name: 'record enum',
    schema: z.record(z.enum(['a', 'b']), z.union([z.string(), z.number()])),
    values: people,
  },
  {
    name: 'record enum optional',
    schema: z.record(z.enum(['a']), z.string().optional()),
    output: /partialRecord/,
  },
  { name: 'record optional', schema: z.record(z.string(), z.string().optional()), values: people },
  { name: 'partialRecord', schema: z.partialRecord(z.enum(['a', 'b']), z.string()), values: people },
  {
    name: 'record number keys',
    schema: z.record(z.number(), z.string()),
    values: [{ '1': 'a' }, { x: 'a' }],
  },
  { name: 'record int keys', schema: z.record(z.int(), z.string()), values: [{ '1': 'a' }, { '1.5': 'a' }] },
  { name: 'looseRecord', schema: z.looseRecord(z.string().regex(/^a/), z.string()), values: people },
  { name: 'union', schema: z.union([z.string(), z.number()]) },
  {
    name: 'union of objects',
    schema: z.union([z.object({ a: z.string() }), z.object({ b: z.number() })]),
    values: people,
  },
  {
    name: 'discriminatedUnion',
    schema: z.discriminatedUnion('k', [
      z.object({ k: z.literal('a'), x: z.string() }),
      z.strictObject({ k: z.literal('b'), y: z.number() }),
    ]),
    values: tagged,
  },
  {
    name: 'discriminatedUnion with fallback',
    schema: z.discriminatedUnion(
      'k',
      [z.object({ k: z.literal('a'), x: z.string() }), z.object({ k: z.literal('b'), y: z.number() })],
      { unionFallback: true },
    ),
    values: tagged,
  },
  { name: 'xor', schema: z.xor([z.object({ a: z.string() }), z.object({ b: z.number() })]), values: people },
  {
    name: 'intersection',
    schema: z.object({ a: z.string() }).and(z.object({ b: z.number() })),
    values: people,
  },
  {
    name: 'intersection with a description',
    schema: z
      .object({ a: z.string() })
      .describe('A')
      .and(z.object({ b: z.number() })),
    output: /cannot be intersected/,
    values: people,
  },
  {
    name: 'strict intersection',
    schema: z.strictObject({ a: z.string() }).and(z.strictObject({ b: z.number() })),
    values: people,
  },
  {
    name: 'intersection with a union',
    schema: shared.and(z.union([z.object({ a: z.string() }), z.object({ b: z.number() })])),
    values: [{ id: 'x', a: 'y' }, { id: 'x' }],
  },
  {
    name: 'recursive getter',
    schema: node,
    values: [{ value: 'a', children: [{ value: 'b', children: [] }] }],
  },
  {
    name: 'recursive with id',
    schema: node.meta({ id: 'Node' }),
    values: [{ value: 'a', children: [{ value: 'b' }] }],
  },
  { name: 'lazy', schema: lazyNode, values: [{ next: { next: {} } }, { next: 1 }] },
  { name: 'json', schema: z.json() },
]

export const wrappers: readonly Accepted[] = [
  { name: 'optional', schema: z.string().optional() },
  { name: 'nullable', schema: z.string().nullable() },
  { name: 'nullish', schema: z.string().nullish() },
  { name: 'nonoptional', schema: z.nonoptional(z.string().optional()) },
  { name: 'default', schema: z.string().default('x') },
  { name: 'default of an object', schema: z.object({ a: z.string().default('x') }).default({ a: 'y' }) },
  { name: 'prefault', schema: z.string().prefault('x') },
  { name: 'catch', schema: z.string().catch('x'), fit: 'narrower' },
  { name: 'readonly', schema: z.array(z.string()).readonly() },
  { name: 'transform', schema: z.string().transform((value) => value.length), output: /in the handler/ },
  {
    name: 'async transform',
    schema: z.string().transform(async (value) => value.length),
    output: /in the handler/,
  },
  { name: 'pipe', schema: z.string().pipe(z.string().max(3)), fit: 'wider', output: /in the handler/ },
  {
    name: 'stringbool',
    schema: z.stringbool(),
    fit: 'wider',
    values: ['true', 'no'],
    output: /in the handler/,
  },
  {
    name: 'codec',
    schema: z.codec(z.iso.datetime(), z.date(), {
      decode: (text) => new Date(text),
      encode: (date) => date.toISOString(),
    }),
    values: ['2024-05-06T07:08:09Z'],
    output: /in the handler/,
  },
]

export const accepted: readonly Accepted[] = [...strings, ...formats, ...scalars, ...composites, ...wrappers]
