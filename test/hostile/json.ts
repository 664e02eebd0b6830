import {
  answered,
  failed,
  id,
  json,
  legacyPost,
  modernPost,
  posted,
  refused,
  rewritten,
  withId,
  type Expected,
  type HostileRequest,
  type Row,
} from './request.js'

const modernList = modernPost('tools/list')
const legacyList = legacyPost('tools/list', {})
const modernCall = modernPost('tools/call', { name: 'echo', arguments: { text: 'a' } })
const legacyCall = legacyPost('tools/call', { name: 'echo', arguments: { text: 'a' } })
const invalid = refused(400, -32600)

/** One row for each revision. */
function both(
  name: string,
  [modern, legacy]: readonly [HostileRequest, HostileRequest],
  change: (request: HostileRequest) => HostileRequest,
  expected: Expected,
): Row[] {
  return [
    { name: `${name}, 2026-07-28`, request: change(modern), expected },
    { name: `${name}, 2025-11-25`, request: change(legacy), expected },
  ]
}
const list = [modernList, legacyList] as const
const call = [modernCall, legacyCall] as const

const wrongIds = [
  'null',
  'true',
  'false',
  '{}',
  '[]',
  '[1]',
  '{"id":1}',
  '1.5',
  '-0.5',
  '1e-3',
  '1e400',
  '-1e400',
]
const rightIds: readonly (readonly [string, string])[] = [
  ['0', '0'],
  ['-7', '-7'],
  ['9007199254740993', '9007199254740993'],
  ['-123456789012345678901234567890', '-123456789012345678901234567890'],
  ['""', '""'],
  ['"\\u0000"', '"\\u0000"'],
  ['"\\ud800"', '"\\ud800"'],
  ['"1"', '"1"'],
  ['"</script>"', '"</script>"'],
  [`"${'i'.repeat(5000)}"`, `"${'i'.repeat(5000)}"`],
]

const idRows = [
  ...wrongIds.flatMap((text) =>
    both(`WIRE-2 B016 the id ${text}`, list, (request) => withId(request, text), invalid),
  ),
  ...rightIds.flatMap(([sent, echoed]) =>
    both(`WIRE-4 the id ${sent.slice(0, 40)}`, list, (request) => withId(request, sent), answered(echoed)),
  ),
]

const scalars = ['null', 'true', '7', '1e400', '"x"', '[]', '[[]]', '[null]', '[7]']
const batchRows: Row[] = [
  ...scalars.map((body): Row => ({
    name: `WIRE-21 B016 the body ${body}`,
    request: posted(body, modernList.lines),
    expected: invalid,
  })),
  ...both('WIRE-21 B016 a batch of one', list, (r) => ({ ...r, body: `[${r.body as string}]` }), invalid),
  ...both(
    'WIRE-21 B016 a batch of two',
    call,
    (r) => ({ ...r, body: `[${r.body as string},${r.body as string}]` }),
    invalid,
  ),
  { name: 'B016 an empty object', request: posted('{}', [json]), expected: invalid },
]

const envelopeChanges: readonly (readonly [string, string, string, Expected])[] = [
  ['B016 jsonrpc 1.0', '"jsonrpc":"2.0"', '"jsonrpc":"1.0"', refused(400, -32600, id)],
  ['B016 jsonrpc as a number', '"jsonrpc":"2.0"', '"jsonrpc":2.0', refused(400, -32600, id)],
  ['B016 jsonrpc null', '"jsonrpc":"2.0"', '"jsonrpc":null', refused(400, -32600, id)],
  ['B016 jsonrpc as a list', '"jsonrpc":"2.0"', '"jsonrpc":["2.0"]', refused(400, -32600, id)],
  ['B016 jsonrpc with a blank', '"jsonrpc":"2.0"', '"jsonrpc":"2.0 "', refused(400, -32600, id)],
  ['B016 no jsonrpc', '"jsonrpc":"2.0",', '', refused(400, -32600, id)],
  ['B011 JSONRPC in capitals', '"jsonrpc"', '"JSONRPC"', refused(400, -32600, id)],
  ['B015 method null', '"method":"tools/list"', '"method":null', refused(400, -32600, id)],
  ['B015 method 1', '"method":"tools/list"', '"method":1', refused(400, -32600, id)],
  ['B015 method as an object', '"method":"tools/list"', '"method":{}', refused(400, -32600, id)],
  ['B015 method as a list', '"method":"tools/list"', '"method":["tools/list"]', refused(400, -32600, id)],
  ['B015 no method', '"method":"tools/list",', '', refused(400, -32600, id)],
  ['B011 Method with a capital', '"method"', '"Method"', refused(400, -32600, id)],
  ['B011 Id with a capital makes a notification', '"id"', '"Id"', { status: 202, body: 'empty' }],
]

/** The last of two members counts, wherever a message is looked at. */
const duplicates: Row[] = [
  ...both('B011 id twice', list, (r) => withId(r, '"first","id":"second"'), answered('"second"')),
  ...both('B011 id twice, the second wrong', list, (r) => withId(r, '"first","id":null'), invalid),
  ...both(
    'B011 id twice, one spelt with an escape',
    list,
    (r) => withId(r, '1,"\\u0069d":9007199254740993'),
    answered('9007199254740993'),
  ),
  ...both(
    'B011 method twice, the second unknown to the header',
    [legacyList, legacyList],
    (r) => rewritten(r, '"method":"tools/list"', '"method":"nothing","method":"tools/list"'),
    answered(),
  ),
  {
    name: 'B011 method twice, the second differs from the header',
    request: rewritten(modernList, '"method":"tools/list"', '"method":"tools/list","method":"prompts/list"'),
    expected: refused(400, -32020, id),
  },
  {
    name: 'B011 name twice, the second differs from the header',
    request: rewritten(modernCall, '"name":"echo"', '"name":"echo","name":"failing"'),
    expected: refused(400, -32020, id),
  },
  {
    name: 'B011 name twice, the second agrees with the header',
    request: rewritten(modernCall, '"name":"echo"', '"name":"failing","name":"echo"'),
    expected: answered(),
  },
  {
    name: 'B011 Name beside name',
    request: rewritten(modernCall, '"name":"echo"', '"name":"echo","Name":"failing"'),
    expected: answered(),
  },
  {
    name: 'B011 Name alone',
    request: rewritten(legacyCall, '"name":"echo"', '"Name":"echo"'),
    expected: refused(200, -32602, id),
  },
  {
    name: 'B011 params twice, the second without _meta',
    request: rewritten(modernList, /\}$/, ',"params":{}}'),
    expected: refused(400, -32602, id),
  },
  {
    name: 'B011 params twice, legacy',
    request: rewritten(legacyCall, /\}$/, ',"params":{"name":"nope"}}'),
    expected: refused(200, -32602, id),
  },
  {
    name: 'B011 jsonrpc twice',
    request: rewritten(modernList, '"jsonrpc":"2.0"', '"jsonrpc":"2.0","jsonrpc":"1.0"'),
    expected: refused(400, -32600, id),
  },
  {
    name: 'B011 the version of _meta twice',
    request: rewritten(
      modernList,
      '"io.modelcontextprotocol/clientCapabilities"',
      '"io.modelcontextprotocol/protocolVersion":"2027-01-01","io.modelcontextprotocol/clientCapabilities"',
    ),
    expected: refused(400, -32020, id),
  },
  ...both(
    'B011 an argument twice',
    call,
    (r) => rewritten(r, '"text":"a"', '"text":7,"text":"a"'),
    answered(),
  ),
  ...both('B011 an argument in capitals', call, (r) => rewritten(r, '"text":"a"', '"TEXT":"a"'), failed()),
]

const proto = '"__proto__":{"polluted":true,"name":"echo","method":"tools/list"}'
const prototypes: Row[] = [
  ...both('B070 __proto__ in the message', call, (r) => rewritten(r, '"id"', `${proto},"id"`), answered()),
  ...both(
    'B070 __proto__ in params',
    call,
    (r) => rewritten(r, '"name":"echo"', `"name":"echo",${proto}`),
    answered(),
  ),
  ...both(
    'B070 __proto__ in arguments',
    call,
    (r) => rewritten(r, '"text":"a"', `"text":"a",${proto}`),
    answered(),
  ),
  ...both(
    'B070 constructor and prototype in arguments',
    call,
    (r) => rewritten(r, '"text":"a"', '"text":"a","constructor":{"prototype":{"polluted":true}}'),
    answered(),
  ),
  ...both(
    'B070 an argument through __proto__',
    call,
    (r) => rewritten(r, '"text":"a"', '"__proto__":{"text":"a"}'),
    failed(),
  ),
  {
    name: 'B070 __proto__ for _meta',
    request: rewritten(modernList, '"_meta"', '"__proto__"'),
    expected: refused(400, -32602, id),
  },
  {
    name: 'B070 __proto__ inside _meta',
    request: rewritten(
      modernList,
      /"_meta":(\{[^}]*\}\})/,
      '"_meta":{"__proto__":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}',
    ),
    expected: refused(400, -32602, id),
  },
  ...both(
    'B070 __proto__ for the method',
    list,
    (r) => rewritten(r, '"method":"tools/list"', '"__proto__":{"method":"tools/list"}'),
    refused(400, -32600, id),
  ),
  {
    name: 'B070 __proto__ for the id makes a notification',
    request: rewritten(modernList, '"id":"h-1"', '"__proto__":{"id":"h-1"}'),
    expected: { status: 202, body: 'empty' },
  },
]

const nest = (depth: number, open = '[', close = ']') => open.repeat(depth) + close.repeat(depth)
const sized: Row[] = [
  ...both(
    'B140 100,000 nested arrays as arguments',
    call,
    (r) => rewritten(r, '"text":"a"', `"text":${nest(100_000)}`),
    invalid,
  ),
  ...both('B140 65 nested arrays', list, (r) => rewritten(r, '"id"', `"x":${nest(64)},"id"`), invalid),
  ...both('B140 63 nested arrays', list, (r) => rewritten(r, '"id"', `"x":${nest(63)},"id"`), answered()),
  ...both(
    'B140 nested objects',
    list,
    (r) => rewritten(r, '"id"', `"x":${'{"a":'.repeat(9000)}1${'}'.repeat(9000)},"id"`),
    invalid,
  ),
  {
    name: 'B140 100,000 arrays that never close',
    request: posted('['.repeat(100_000), modernList.lines),
    expected: invalid,
  },
  {
    name: 'B140 brackets inside a string do not nest',
    request: rewritten(modernList, '"id"', `"x":"${'['.repeat(500)}\\"${'{'.repeat(500)}","id"`),
    expected: answered(),
  },
  ...both(
    'a string of 900,000 characters',
    call,
    (r) => rewritten(r, '"text":"a"', `"text":7,"x":"${'x'.repeat(900_000)}"`),
    failed(),
  ),
  ...both(
    'a member name of 900,000 characters',
    list,
    (r) => rewritten(r, '"id"', `"${'k'.repeat(900_000)}":1,"id"`),
    answered(),
  ),
  ...both(
    '50,000 members',
    list,
    (r) => rewritten(r, '"id"', `${Array.from({ length: 50_000 }, (_, n) => `"${n}":0,`).join('')}"id"`),
    answered(),
  ),
  ...both(
    'a number of 900,000 digits',
    call,
    (r) => rewritten(r, '"text":"a"', `"text":"a","times":${'9'.repeat(900_000)}`),
    failed(),
  ),
  ...both(
    '1e400 as an argument',
    call,
    (r) => rewritten(r, '"text":"a"', '"text":"a","times":1e400'),
    failed(),
  ),
  ...both('-0 as an argument', call, (r) => rewritten(r, '"text":"a"', '"text":"a","times":-0'), failed()),
]

export const jsonRows: readonly Row[] = [
  ...idRows,
  ...batchRows,
  ...envelopeChanges.flatMap(([name, from, to, expected]) =>
    both(name, list, (r) => rewritten(r, from, to), expected),
  ),
  ...duplicates,
  ...prototypes,
  ...sized,
]
