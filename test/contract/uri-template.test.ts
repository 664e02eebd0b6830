import fc from 'fast-check'
import { describe, expect, expectTypeOf, it } from 'vitest'
import { expandUriTemplate } from '../../src/contract/uri-template/expansion.js'
import {
  uriTemplate,
  type UriTemplate,
  type VariablesOf,
} from '../../src/contract/uri-template/uri-template.js'

const match = (template: string, uri: string) => uriTemplate(template).match(uri)

describe('matching a URI against a template', () => {
  it.each([
    ['notes://{id}', 'notes://7', { id: '7' }],
    ['notes://{id}', 'notes://a%20b', { id: 'a b' }],
    ['notes://{id}', 'notes://caf%C3%A9', { id: 'café' }],
    ['notes://{id}', 'notes://a@b.com', { id: 'a@b.com' }],
    ['notes://{id}', 'notes://', undefined],
    ['notes://{id}', 'notes://a/b', undefined],
    ['notes://{id}/raw', 'notes://7/raw', { id: '7' }],
    ['notes://{id}/raw', 'notes://7/raw/', undefined],
    ['files://{name}.txt', 'files://a.txt.txt', { name: 'a.txt' }],
    ['files://{name}{.ext}', 'files://a.tar.gz', { name: 'a', ext: 'tar.gz' }],
    ['points://{x,y}', 'points://1,2', { x: '1', y: '2' }],
    ['points://{x,y}', 'points://1,2,3', undefined],
    ['tags://{tag*}', 'tags://a,b%2Cc', { tag: ['a', 'b,c'] }],
    ['repo://{owner}{/path*}', 'repo://me/a/b%20c', { owner: 'me', path: ['a', 'b c'] }],
    ['repo://{owner}{/path*}', 'repo://me', { owner: 'me', path: [] }],
    ['repo://{owner}{/path*}/raw', 'repo://me/raw', { owner: 'me', path: [] }],
    ['repo://{owner}{/path*}/raw', 'repo://me/a/b/raw', { owner: 'me', path: ['a', 'b'] }],
    ['repo://{owner}{/path*}', 'repo://me/a//b', undefined],
    ['repo://x{/a,b}', 'repo://x/1/2', { a: '1', b: '2' }],
    ['files:///{+path}', 'files:///a/b.txt', { path: 'a/b.txt' }],
    ['p://{a}/{+path}/by/{b}', 'p://1/x/by/y/by/2', { a: '1', path: 'x/by/y', b: '2' }],
    ['proxy://{+url}', 'proxy://https://x.com/a?b=c', { url: 'https://x.com/a?b=c' }],
    ['docs://{id}{#part}', 'docs://7#a/b', { id: '7', part: 'a/b' }],
    ['docs://{id}{#part}', 'docs://7', { id: '7' }],
    ['q://p?fixed=1{&page}', 'q://p?fixed=1&page=2', { page: '2' }],
    ['q://p?fixed=1{&page}', 'q://p?fixed=1', {}],
    ['q://p?fixed=1{&page}', 'q://p?fixed=10&page=2', undefined],
    ['q://p?fixed=1{&page}', 'q://p', undefined],
    ['fixed://x', 'fixed://x', {}],
    ['fixed://x', 'fixed://X', undefined],
  ])('%s with %s', (template, uri, expected) => {
    expect(match(template, uri)).toEqual(expected)
  })

  it.each([
    '..%2F..%2Fetc%2Fpasswd',
    'a%2fb',
    'a%5Cb',
    'a\\b',
    'a%00',
    '..',
    '.',
    '%2e%2e',
    '.%2E',
    '%252e%252e%252fetc',
    '%25252Fetc',
    'a%2500',
    'a/b',
    'a?b',
    'a#b',
  ])('B053: %s gives no simple variable', (name) => {
    expect(match('file://docs/{name}', `file://docs/${name}`)).toBeUndefined()
    expect(match('file://docs/{name}/x', `file://docs/${name}/x`)).toBeUndefined()
    expect(match('file://docs{/name*}', `file://docs/ok/${name}`)).not.toEqual({ name: ['ok', name] })
  })

  it.each(['../etc', 'a/../b', 'a/%2e%2e/b', '%2e%2e%2fetc', 'a/./b', 'a%00b', '..%5Cb', '%252e%252e/b'])(
    'B053: %s gives no reserved variable',
    (path) => expect(match('file:///{+path}', `file:///${path}`)).toBeUndefined(),
  )

  it('B054: literal text is literal and variables go by name', () => {
    expect(match('weather://a.b/{city}', 'weather://aXb/paris')).toBeUndefined()
    expect(match('weather://a.b/{city}', 'weather://a.b/paris')).toEqual({ city: 'paris' })
    expect(match('log://{year}-{month}', 'log://2024-05')).toEqual({ year: '2024', month: '05' })
    expect(match('log://(a+)+$/{id}', 'log://aaa/1')).toBeUndefined()
  })

  it.each(['%ZZ', '%', '%4', '%FF', '%C3', '%ED%A0%80'])('B054: malformed %s is no match', (id) => {
    expect(match('notes://{id}', `notes://${id}`)).toBeUndefined()
    expect(match('notes://{+id}', `notes://${id}`)).toBeUndefined()
    expect(match('notes://x{?id}', `notes://x?id=${id}`)).toBeUndefined()
  })

  it.each([
    ['things://p', {}],
    ['things://p?', {}],
    ['things://p?limit=5', { limit: '5' }],
    ['things://p?limit=5&page=2', { limit: '5', page: '2' }],
    ['things://p?page=a%20b', { page: 'a b' }],
    ['things://p?page=a+b%2Fc', { page: 'a+b/c' }],
    ['things://p?page=', { page: '' }],
    ['things://p?page=a=b', { page: 'a=b' }],
    ['things://p?page', undefined],
    ['things://p?other=1', undefined],
    ['things://p?page=1&page=2', undefined],
    ['things://p?page=1&&limit=2', undefined],
    ['things://p?page=1#x', undefined],
    ['things://p?page=%00', undefined],
    ['things://p?__proto__=1', undefined],
  ])('B055: %s', (uri, expected) => {
    expect(match('things://p{?page,limit}', uri)).toEqual(expected)
  })

  it('B055: a list in the query keeps its order', () => {
    expect(match('things://p{?tag*,page}', 'things://p?tag=b&page=1&tag=a')).toEqual({
      tag: ['b', 'a'],
      page: '1',
    })
  })

  it('B056: a URI beyond 8192 characters never matches', () => {
    const { match: fits } = uriTemplate('n://{id}')
    expect(fits(`n://${'a'.repeat(8188)}`)).toBeDefined()
    expect(fits(`n://${'a'.repeat(8189)}`)).toBeUndefined()
  })

  it.each([
    ['x:{/seg*}', (size: number) => `x:${'/a'.repeat(size / 2)}\\`],
    ['x:{seg*}', (size: number) => `x:${','.repeat(size)}`],
    ['x:{?q*}', (size: number) => `x:?${'q=,&'.repeat(size / 4)}!`],
    ['x:{a}-{b}-{c}-{d}!', (size: number) => `x:${'-'.repeat(size)}`],
    ['x:{a}ab{b}ab{+c}ab{d}aab', (size: number) => `x:${'a'.repeat(size)}`],
    ['x:{+a}%2525{b}', (size: number) => `x:${'%25'.repeat(size / 3)}`],
  ])('B056: work on %s grows with the length, not its square', (template, uri) => {
    const { match: read } = uriTemplate(template)
    const cost = (size: number) => {
      const text = uri(size)
      const times = Array.from({ length: 15 }, () => {
        const start = performance.now()
        for (let run = 0; run < 20; run++) read(text)
        return performance.now() - start
      })
      return Math.min(...times)
    }
    cost(8000)
    expect(cost(8000) / cost(250)).toBeLessThan(32 * 8)
  })
})

describe('templates that cannot be matched', () => {
  it.each([
    'x://{a}{b}',
    'x://{a}{+b}',
    'x://{+a}{/b*}',
    'x://{+a}/{+b}',
    'x://{a}{/b*}.txt',
    'x://{/a*}{b}',
    'x://{a,b*}',
    'x://{a*,b}',
    'x://{/a*,b}',
    'x://{.a*}',
    'x://{+a,b}',
    'x://{+a*}',
    'x://{a:3}',
    'x://{;a}',
    'x://{?a}/b',
    'x://{#a}/b',
    'x://{#a,b}',
    'x://{#a*}',
    'x://{a}/{a}',
    'x://{a}{?a}',
    'x://p{&a}',
    'x://p?a={b}{&c}',
    'x://p?a=1{?b}',
  ])('%s has two readings or none', (template) => {
    expect(() => uriTemplate(template)).toThrow(/^URI template .* cannot be matched: /)
  })

  it.each([
    'x://{',
    'x://}',
    'x://{}',
    'x://{a',
    'x://{a b}',
    'x://%zz/{a}',
    'x://{=a}',
    'x y',
    'x://{a:0}',
    'x://{a,}',
  ])('%s is no URI template', (template) => {
    expect(() => uriTemplate(template)).toThrow(expect.objectContaining({ code: 'ERR_DEFINITION' }))
  })
})

const values = {
  var: 'value',
  hello: 'Hello World!',
  path: '/foo/bar',
  empty: '',
  half: '50%',
  x: 1024,
  y: 768,
}
const list = ['red', 'green', 'blue']
const keys = { semi: ';', dot: '.', comma: ',' }

describe('expanding a URI template (RFC 6570, appendix and section 3.2)', () => {
  it.each([
    ['{var}', 'value'],
    ['{hello}', 'Hello%20World%21'],
    ['{half}', '50%25'],
    ['O{empty}X', 'OX'],
    ['O{undef}X', 'OX'],
    ['{x,hello,y}', '1024,Hello%20World%21,768'],
    ['?{x,undef}', '?1024'],
    ['{var:3}', 'val'],
    ['{var:30}', 'value'],
    ['{list}', 'red,green,blue'],
    ['{list*}', 'red,green,blue'],
    ['{keys}', 'semi,%3B,dot,.,comma,%2C'],
    ['{keys*}', 'semi=%3B,dot=.,comma=%2C'],
    ['{+hello}', 'Hello%20World!'],
    ['{+half}', '50%25'],
    ['{+path}/here', '/foo/bar/here'],
    ['{+path:6}/here', '/foo/b/here'],
    ['{+keys*}', 'semi=;,dot=.,comma=,'],
    ['{#path,x}/here', '#/foo/bar,1024/here'],
    ['X{#empty}', 'X#'],
    ['X{.var,x}', 'X.value.1024'],
    ['X{.list*}', 'X.red.green.blue'],
    ['{/var,empty}', '/value/'],
    ['{/list*,path:4}', '/red/green/blue/%2Ffoo'],
    ['{/keys*}', '/semi=%3B/dot=./comma=%2C'],
    ['{;x,y,empty}', ';x=1024;y=768;empty'],
    ['{;list*}', ';list=red;list=green;list=blue'],
    ['{;hello:5}', ';hello=Hello'],
    ['{?x,y,empty}', '?x=1024&y=768&empty='],
    ['{?list}', '?list=red,green,blue'],
    ['{?list*}', '?list=red&list=green&list=blue'],
    ['{?keys*}', '?semi=%3B&dot=.&comma=%2C'],
    ['?fixed=yes{&x}', '?fixed=yes&x=1024'],
    ['{&undef}', ''],
    ['é/{var}', '%C3%A9/value'],
  ])('%s is %s', (template, expected) => {
    expect(expandUriTemplate(template, { ...values, list, keys })).toBe(expected)
  })

  it('reads own members only', () => {
    expect(expandUriTemplate('x://{constructor}', {})).toBe('x://')
  })
})

const text = fc.string({ unit: 'binary', minLength: 1, maxLength: 12 })
const segment = text.filter((value) => !/[/\\\0]|^\.\.?$|%(25)*(2f|5c|00|2e)/i.test(value))
const segments = fc.array(segment, { maxLength: 4 })
const queryText = fc.string({ unit: 'binary', maxLength: 12 }).filter((value) => !value.includes('\0'))
const wide = fc
  .array(
    segment.filter((value) => !/[%?#]/.test(value)),
    { minLength: 1, maxLength: 4 },
  )
  .map((parts) => parts.join('/'))

describe('what a client expands, a server reads back', () => {
  it.each([
    ['a://{id}/end', { id: segment }],
    ['a://{x,y}', { x: segment, y: segment }],
    ['a://{tag*}', { tag: fc.array(segment, { minLength: 1, maxLength: 4 }) }],
    ['a://{owner}{/path*}', { owner: segment, path: segments }],
    ['a://x{/path*}/raw', { path: segments }],
    ['a://x/{id}/{+rest}/end', { id: segment, rest: wide }],
    [
      'a://{id}{?q,p,t*}',
      { id: segment, q: queryText, p: queryText, t: fc.array(queryText, { minLength: 1 }) },
    ],
    ['a://p?f=1{&q}', { q: queryText }],
    ['a://{id}{?q}{#part}', { id: segment, q: queryText, part: wide }],
  ] as [string, Record<string, fc.Arbitrary<string | string[]>>][])('B053 B055: %s', (template, shape) => {
    const { match: read } = uriTemplate(template)
    fc.assert(
      fc.property(fc.record(shape), (input) => {
        const uri = expandUriTemplate(template, input)
        expect(read(uri)).toEqual(input)
      }),
      { numRuns: 300 },
    )
  })

  it('B053: whatever the URI, a simple variable is one harmless segment', () => {
    const { match: read } = uriTemplate('f://{a}/{b}')
    const noise = fc.string({
      unit: fc.constantFrom('%', '2', '5', 'e', 'E', 'f', 'F', 'c', '0', '.', '/', '\\', 'x'),
    })
    fc.assert(
      fc.property(noise, noise, (a, b) => {
        for (const value of Object.values(read(`f://${a}/${b}`) ?? {})) {
          let decoded = value
          for (let round = 0; round < 4; round++) {
            expect(decoded).not.toMatch(/[/\\\0]|^\.\.?$/)
            try {
              decoded = decodeURIComponent(decoded)
            } catch {
              break
            }
          }
        }
      }),
      { numRuns: 5000 },
    )
  })
})

describe('the types of variables', () => {
  it('follow the template', () => {
    type V = VariablesOf<'things://{id}{?page,limit}'>
    expectTypeOf<V>().toEqualTypeOf<{
      readonly id: string
      readonly page?: string
      readonly limit?: string
    }>()
    expectTypeOf<VariablesOf<'r://{owner}{/path*}{?tag*}'>>().toEqualTypeOf<{
      readonly owner: string
      readonly path: readonly string[]
      readonly tag?: readonly string[]
    }>()
    expectTypeOf<UriTemplate<'t://{id}{?page,tag*}'>>().toExtend<UriTemplate>()
    expectTypeOf<VariablesOf<string>>().toEqualTypeOf<Readonly<Record<string, string | readonly string[]>>>()
    expectTypeOf(uriTemplate('x://{a}').match).returns.toEqualTypeOf<{ readonly a: string } | undefined>()
  })
})
