import {
  answered,
  empty,
  http,
  id,
  json,
  modernPost,
  posted,
  refused,
  type HeaderChange,
  type Row,
} from './request.js'

const unsupported = refused(415, -32600)
const unacceptable = refused(406, -32600)

const contentTypes: readonly (readonly [string, string | readonly string[] | undefined, Row['expected']])[] =
  [
    ['B006 no Content-Type', undefined, unsupported],
    ['B006 an empty Content-Type', '', unsupported],
    ['B006 text/plain', 'text/plain', unsupported],
    ['B006 the right type as a parameter', 'text/plain; a=application/json', unsupported],
    ['B006 two types', 'text/plain, application/json', unsupported],
    ['B006 junk after a tab', 'application/json\tx', unsupported],
    ['B006 junk after a blank', 'application/json x', unsupported],
    ['B006 a longer subtype', 'application/json-rpc', unsupported],
    ['B006 a suffix', 'application/mcp+json', unsupported],
    ['B006 quotes', '"application/json"', unsupported],
    ['B006 no subtype', 'application', unsupported],
    ['B006 a wildcard', '*/*', unsupported],
    ['B006 an event stream', 'text/event-stream', unsupported],
    ['B006 a form', 'application/x-www-form-urlencoded', unsupported],
    ['B006 the wrong type first of two headers', ['text/plain', 'application/json'], unsupported],
    ['B006 a charset', 'application/json;charset=utf-8', answered()],
    ['B006 capitals', 'Application/JSON', answered()],
    ['B006 blanks around', ' \tapplication/json\t ; x', answered()],
  ]

const accepts: readonly (readonly [string, string | readonly string[] | undefined, Row['expected']])[] = [
  ['HTTP-7 no Accept', undefined, answered()],
  ['HTTP-7 an empty Accept', '', answered()],
  ['B017 anything', '*/*', answered()],
  ['B017 any application', 'application/*', answered()],
  ['B017 capitals', 'APPLICATION/JSON', answered()],
  ['B017 JSON only', 'application/json', answered()],
  ['B017 html only', 'text/html', unacceptable],
  ['B017 JSON refused, html wanted', 'application/json;q=0, text/html', unacceptable],
  ['B017 both refused', 'application/json;q=0, text/event-stream;q=0.000, */*', unacceptable],
  ['B017 everything refused', '*/*;q=0', unacceptable],
  ['B017 nonsense', ';;;,,/,=', unacceptable],
  ['B017 a JSON dialect', 'application/vnd.api+json', unacceptable],
  ['B017 two headers', ['text/html', 'application/json'], answered()],
  ['B017 10,000 characters of it', `${'text/html,'.repeat(1000)}application/json`, answered()],
]

const mirroredArguments = { region: 'north', level: 4 }
const mirroredHeaders = { 'mcp-param-region': 'north', 'mcp-param-level': '4' }
const parameters: readonly (readonly [string, HeaderChange, Record<string, unknown>, Row['expected']])[] = [
  ['HDR-29 no header', { 'mcp-param-region': undefined }, mirroredArguments, refused(400, -32020, id)],
  ['HDR-29 another value', { 'mcp-param-region': 'North' }, mirroredArguments, refused(400, -32020, id)],
  [
    'HDR-29 the header twice',
    { 'mcp-param-region': ['north', 'north'] },
    mirroredArguments,
    refused(400, -32020, id),
  ],
  [
    'HDR-43 bad Base64',
    { 'mcp-param-region': '=?base64?bm9ydGg?=' },
    mirroredArguments,
    refused(400, -32020, id),
  ],
  ['HDR-44 Latin-1 bytes', { 'mcp-param-region': 'nörth' }, mirroredArguments, refused(400, -32020, id)],
  ['HDR-30 another number', { 'mcp-param-level': '4.5' }, mirroredArguments, refused(400, -32020, id)],
  ['HDR-30 a number in words', { 'mcp-param-level': 'four' }, mirroredArguments, refused(400, -32020, id)],
  [
    'HDR-30 a number in hexadecimal',
    { 'mcp-param-level': '0x4' },
    mirroredArguments,
    refused(400, -32020, id),
  ],
  ['HDR-30 the same number', { 'mcp-param-level': '40e-1' }, mirroredArguments, answered()],
  ['HDR-31 a header without an argument', {}, { region: 'north' }, refused(400, -32020, id)],
  ['HDR-27 an explicit null has no header', {}, { region: 'north', level: null }, refused(400, -32020, id)],
  [
    'B004 an integer no double holds',
    { 'mcp-param-level': undefined },
    { region: 'north', level: 2 ** 53 },
    refused(400, -32020, id),
  ],
  [
    'B004 and its header',
    { 'mcp-param-level': '9007199254740992' },
    { region: 'north', level: 2 ** 53 },
    refused(400, -32020, id),
  ],
  [
    'HDR-29 an object where text belongs',
    { 'mcp-param-region': '[object Object]' },
    { region: {}, level: 4 },
    refused(400, -32020, id),
  ],
  ['HDR-10 an unknown Mcp-Param header', { 'mcp-param-nobody': 'x' }, mirroredArguments, answered()],
  ['HDR-29 a tool that mirrors nothing', { 'mcp-param-text': 'x' }, mirroredArguments, answered()],
]

const good = modernPost('tools/list')
const lines = (...more: string[]) => ({ ...good, lines: [...good.lines, ...more] })
const odd: Row[] = [
  {
    name: 'HTTP-3 session and resumption headers',
    request: lines('Mcp-Session-Id: 7', 'Last-Event-ID: 9'),
    expected: answered(),
  },
  { name: 'a cookie', request: lines('Cookie: a=1; b=2'), expected: answered() },
  {
    name: 'forwarding headers',
    request: lines('X-Forwarded-Host: evil.example', 'Forwarded: host=evil.example'),
    expected: answered(),
  },
  {
    name: 'HDR-8 blanks around values',
    request: { ...good, lines: [json, 'MCP-Protocol-Version: \t2026-07-28 \t', 'MCP-METHOD:tools/list'] },
    expected: answered(),
  },
  { name: 'A10 B147 a foreign origin', request: lines('Origin: https://evil.example'), expected: http(403) },
  { name: 'A10 B147 the origin null', request: lines('Origin: null'), expected: http(403) },
  { name: 'A10 B147 an empty origin', request: lines('Origin:'), expected: http(403) },
  {
    name: 'A10 B147 two origins',
    request: lines('Origin: http://localhost', 'Origin: https://evil.example'),
    expected: http(403),
  },
  {
    name: 'A10 B147 the origin of the server itself',
    request: lines('Origin: http://localhost'),
    expected: http(403),
  },
  { name: 'a header without a colon', request: lines('nonsense'), expected: http(400) },
  { name: 'a header without a name', request: lines(': x'), expected: http(400) },
  { name: 'a header name with a blank', request: lines('X Y: z'), expected: http(400) },
  { name: 'a NUL in a header', request: lines('X: a\0b'), expected: http(400) },
  { name: 'a carriage return in a header', request: lines('X: a\rb'), expected: http(400) },
  { name: 'a folded header', request: lines('X: a\r\n b'), expected: http(400) },
  { name: 'HTTP-20 a header of 100 kB', request: lines(`X: ${'x'.repeat(100_000)}`), expected: http(431) },
  {
    name: 'HTTP-20 900 headers',
    request: lines(...Array.from({ length: 900 }, (_, n) => `X-${n}: 1`)),
    expected: answered(),
  },
  {
    name: 'Expect: 100-continue',
    request: lines('Expect: 100-continue'),
    expected: { ...answered(), interim: true },
  },
  { name: 'another expectation', request: lines('Expect: the-unexpected'), expected: empty(417) },
  {
    name: 'an upgrade to WebSocket',
    request: {
      ...lines('Upgrade: websocket', 'Sec-WebSocket-Version: 13'),
      connection: ['Host: localhost', 'Connection: Upgrade, close'],
    },
    expected: answered(),
  },
  {
    name: 'an upgrade to h2c',
    request: {
      ...lines('Upgrade: h2c', 'HTTP2-Settings: AAMAAABkAAQAoAAAAAIAAAAA'),
      connection: ['Host: localhost', 'Connection: Upgrade, HTTP2-Settings, close'],
    },
    expected: answered(),
  },
]

const hosts: Row[] = [
  ['B147 a foreign host', ['Host: evil.example'], http(403)],
  ['B147 a host that begins well', ['Host: localhost.evil.example'], http(403)],
  ['B147 a host with a user', ['Host: localhost@evil.example'], http(403)],
  ['B147 127.0.0.1 and more', ['Host: 127.0.0.1.evil.example'], http(403)],
  ['B147 an empty host', ['Host:'], http(403)],
  ['B147 0.0.0.0', ['Host: 0.0.0.0'], http(403)],
  ['B147 loopback of version 6', ['Host: [::1]:3000'], answered()],
].map(([name, connection, expected]) => ({
  name: name as string,
  request: { ...good, connection: [...(connection as string[]), 'Connection: close'] },
  expected: expected as Row['expected'],
  only: 'open' as const,
}))

export const headerRows: readonly Row[] = [
  ...contentTypes.map(([name, type, expected]): Row => ({
    name,
    request: modernPost('tools/list', {}, { 'content-type': type }),
    expected,
  })),
  ...accepts.map(([name, accept, expected]): Row => ({
    name,
    request: modernPost('tools/list', {}, { accept }),
    expected,
  })),
  ...parameters.map(([name, change, args, expected]): Row => ({
    name,
    request: modernPost(
      'tools/call',
      { name: 'mirrored', arguments: args },
      { ...mirroredHeaders, ...change },
    ),
    expected,
  })),
  ...odd,
  ...hosts,
  { name: 'no Host at all', request: { ...good, connection: ['Connection: close'] }, expected: empty(400) },
  {
    name: 'B017 a notification whose sender takes streams only',
    request: posted('{"jsonrpc":"2.0","method":"x"}', [json, 'Accept: text/event-stream']),
    expected: empty(202),
  },
  {
    name: 'TRAP-1 B017 an unknown method asked for by a taker of streams',
    request: modernPost('nothing', {}, { accept: 'text/event-stream' }),
    expected: refused(404, -32601, id),
  },
  {
    name: 'TRAP-1 B017 a mismatch told to a taker of streams',
    request: modernPost('tools/list', {}, { accept: 'text/event-stream', 'mcp-method': 'x' }),
    expected: refused(400, -32020, id),
  },
]
