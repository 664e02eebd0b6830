import { answered, http, id, legacyPost, modernPost, refused, rewritten, type Row } from './request.js'

const methods = [
  '',
  ' ',
  '/',
  'tools',
  'tools/',
  'Tools/List',
  'tools/list ',
  '__proto__',
  'constructor',
  'rpc.discover',
  'tools/list#',
  'logging/setLevel',
  'resources/subscribe',
  'tasks/list',
  'm'.repeat(3000),
]
const strange = ['tools/\u0000list', 'ｔools/list', 'tools/list\u200b', 'tools\nlist']

export const methodRows: readonly Row[] = [
  ...methods.map((method): Row => ({
    name: `B015 HTTP-19 the method ${JSON.stringify(method.slice(0, 40))}`,
    request: modernPost(method),
    expected: method === method.trim() ? refused(404, -32601, id) : refused(400, -32020, id),
  })),
  ...[...methods, ...strange].map((method): Row => ({
    name: `TRAP-35 the older method ${JSON.stringify(method.slice(0, 40))}`,
    request: legacyPost(method),
    expected: refused(200, -32601, id),
  })),
  ...strange.map((method): Row => ({
    name: `HDR-9 the method ${JSON.stringify(method)} fits in no header`,
    request: {
      ...modernPost('tools/list'),
      body: rewritten(modernPost('tools/list'), '"tools/list"', JSON.stringify(method)).body,
    },
    expected: refused(400, -32020, id),
  })),
]

const target = (name: string, to: string, expected: Row['expected']): Row => ({
  name,
  request: { ...modernPost('tools/list'), target: to },
  expected,
})
const verb = (method: string, expected: Row['expected']): Row => ({
  name: `HTTP-2 ${method}`,
  request: { ...modernPost('tools/list'), method },
  expected,
})

export const targetRows: readonly Row[] = [
  target('a trailing slash', '/mcp/', http(404)),
  target('two slashes', '//mcp', http(404)),
  target('a dot segment', '/./mcp', http(404)),
  target('capitals', '/MCP', http(404)),
  target('an encoded letter', '/%6dcp', answered()),
  target('a broken escape', '/mcp%zz', http(400)),
  target('an encoded slash', '/mcp%2f', http(404)),
  target('a path below', '/mcp/messages', http(404)),
  target('a parameter of the path', '/mcp;x=1', http(404)),
  target('a query', '/mcp?a=1&a=2&&=', answered()),
  target('a query of 10,000 characters', `/mcp?${'q'.repeat(10_000)}`, answered()),
  target('the absolute form', 'http://localhost/mcp', answered()),
  target('no slash', 'mcp', http(400)),
  target('the asterisk form', '*', http(404)),
  target('an empty target', '', http(400)),
  target('a blank in the target', '/mcp x', http(400)),
  target('bytes that are no ASCII', '/mcp\xff', http(400)),
  ...['GET', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE'].map((method) =>
    verb(method, { status: 405, body: 'empty' }),
  ),
  verb('HEAD', { status: 405, body: 'empty' }),
  verb('PROPFIND', http(404)),
  verb('post', http(400)),
  verb('POST\t', http(400)),
  verb('BREW', http(400)),
  {
    name: 'HTTP/1.0 with a host',
    request: { ...modernPost('tools/list'), httpVersion: 'HTTP/1.0' },
    expected: answered(),
  },
  {
    name: 'HTTP/1.0 without a host',
    request: { ...modernPost('tools/list'), httpVersion: 'HTTP/1.0', connection: [] },
    expected: http(403),
    only: 'open',
  },
  {
    name: 'HTTP/2.0 in words',
    request: { ...modernPost('tools/list'), httpVersion: 'HTTP/2.0' },
    expected: answered(),
  },
  {
    name: 'HTTP/9.9',
    request: { ...modernPost('tools/list'), httpVersion: 'HTTP/9.9' },
    expected: http(400),
  },
]
