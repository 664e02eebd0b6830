import { meta } from '../wire.js'
import {
  answered,
  empty,
  id,
  json,
  legacyPost,
  legacyVersion,
  modernPost,
  posted,
  refused,
  rewritten,
  type HeaderChange,
  type Row,
} from './request.js'

const versionKey = 'io.modelcontextprotocol/protocolVersion'
const capabilitiesKey = 'io.modelcontextprotocol/clientCapabilities'
const good = modernPost('tools/list')
const malformed = refused(400, -32602, id)

const wrongParams: readonly (readonly [string, unknown])[] = [
  ['META-3 no params', undefined],
  ['META-12 params null', null],
  ['META-12 params false', false],
  ['META-12 params 0', 0],
  ['META-12 params as text', '{"_meta":{}}'],
  ['META-12 params as a list', [{ _meta: meta() }]],
  ['META-3 params without _meta', { cursor: 'x' }],
  ['B011 _META in capitals', { _META: meta() }],
]
const wrongMeta: readonly (readonly [string, unknown])[] = [
  ['META-12 _meta null', null],
  ['META-12 _meta as a list', [meta()]],
  ['META-12 _meta as text', 'x'],
  ['META-12 _meta 1', 1],
  ['META-3 _meta empty', {}],
  ['META-3 only capabilities', { [capabilitiesKey]: {} }],
  ['META-3 only a version', { [versionKey]: '2026-07-28' }],
  ['META-12 version null', meta({ [versionKey]: null })],
  ['META-12 version as a number', meta({ [versionKey]: 2026 })],
  ['META-12 version as a list', meta({ [versionKey]: ['2026-07-28'] })],
  ['META-12 version as an object', meta({ [versionKey]: {} })],
  ['META-12 version empty', meta({ [versionKey]: '' })],
  ['META-12 capabilities null', meta({ [capabilitiesKey]: null })],
  ['META-12 capabilities true', meta({ [capabilitiesKey]: true })],
  ['META-12 capabilities as a list', meta({ [capabilitiesKey]: ['sampling'] })],
  ['META-12 capabilities as text', meta({ [capabilitiesKey]: '{}' })],
  ['META-12 B027 clientInfo null', meta({ 'io.modelcontextprotocol/clientInfo': null })],
  [
    'META-12 B027 clientInfo without a name',
    meta({ 'io.modelcontextprotocol/clientInfo': { version: '1' } }),
  ],
  [
    'META-12 B027 clientInfo with a numeric version',
    meta({ 'io.modelcontextprotocol/clientInfo': { name: 'x', version: 1 } }),
  ],
  ['LOG-4 B030 a log level in capitals', meta({ 'io.modelcontextprotocol/logLevel': 'DEBUG' })],
  ['LOG-4 B030 a log level as a number', meta({ 'io.modelcontextprotocol/logLevel': 7 })],
  ['PROG-1 progressToken null', meta({ progressToken: null })],
  ['PROG-1 progressToken true', meta({ progressToken: true })],
  ['PROG-1 progressToken as a list', meta({ progressToken: [] })],
  ['PROG-1 progressToken 0.5', meta({ progressToken: 0.5 })],
]

const envelopes: Row[] = [
  ...wrongParams.map(([name, params]): Row => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 'h-1', method: 'tools/list', params })
    return { name, request: { ...good, body }, expected: malformed }
  }),
  ...wrongMeta.map(([name, _meta]): Row => ({
    name,
    request: modernPost('tools/list', { _meta }),
    expected: malformed,
  })),
  {
    name: 'PROG-1 progressToken 1e400',
    request: rewritten(good, '"_meta":{', '"_meta":{"progressToken":1e400,'),
    expected: malformed,
  },
  {
    name: 'META-14 foreign keys, strange names and trace context',
    request: modernPost('tools/list', {
      _meta: meta({ '': 1, '/': 2, 'a b': 3, traceparent: 7, 'dev.mcp/x': null, ['\u0000']: [] }),
    }),
    expected: answered(),
  },
]

const versions: Row[] = [
  ['VERS-2 B026 an unknown later version', '2027-01-01'],
  ['VERS-2 B026 letters', 'zzzz'],
  ['VERS-2 B026 the right version and more', '2026-07-28-x'],
  ['VERS-2 B026 a version of 1900', '1900-01-01'],
  ['VERS-2 B026 draft', 'DRAFT-2026-v1'],
  ['VERS-2 an older version that is not served', '2025-03-26'],
  ['VERS-2 __proto__', '__proto__'],
  ['VERS-2 4,000 characters', 'v'.repeat(4000)],
].map(([name = '', version = '']): Row => ({
  name,
  request: modernPost(
    'tools/list',
    { _meta: meta({ [versionKey]: version }) },
    { 'mcp-protocol-version': version },
  ),
  expected: refused(400, -32022, id),
}))

const mismatches: Row[] = (
  [
    ['B001 no version header', 'tools/list', {}, { 'mcp-protocol-version': undefined }],
    ['HDR-2 an empty version header', 'tools/list', {}, { 'mcp-protocol-version': '' }],
    ['HDR-2 a later version header', 'tools/list', {}, { 'mcp-protocol-version': '2027-01-01' }],
    ['LEG-15 the header of the older revision', 'tools/list', {}, { 'mcp-protocol-version': legacyVersion }],
    ['HDR-2 two version headers', 'tools/list', {}, { 'mcp-protocol-version': ['2026-07-28', '2026-07-28'] }],
    ['HDR-6 no method header', 'tools/list', {}, { 'mcp-method': undefined }],
    ['HDR-6 an empty method header', 'tools/list', {}, { 'mcp-method': '' }],
    ['HDR-6 another method', 'tools/list', {}, { 'mcp-method': 'prompts/list' }],
    ['HDR-7 the method in capitals', 'tools/list', {}, { 'mcp-method': 'TOOLS/LIST' }],
    ['HDR-9 an encoded method', 'tools/list', {}, { 'mcp-method': '=?base64?dG9vbHMvbGlzdA==?=' }],
    ['HDR-2 two method headers', 'tools/list', {}, { 'mcp-method': ['tools/list', 'tools/list'] }],
    ['HDR-6 no name header', 'tools/call', { name: 'echo' }, { 'mcp-name': undefined }],
    ['HDR-6 an empty name header', 'tools/call', { name: 'echo' }, { 'mcp-name': '' }],
    ['HDR-7 the name in capitals', 'tools/call', { name: 'echo' }, { 'mcp-name': 'ECHO' }],
    ['HDR-6 two name headers', 'tools/call', { name: 'echo' }, { 'mcp-name': ['echo', 'echo'] }],
    ['HDR-43 a name in unpadded Base64', 'tools/call', { name: 'echo' }, { 'mcp-name': '=?base64?ZWNobw?=' }],
    [
      'HDR-43 a name in Base64 for URLs',
      'tools/call',
      { name: '>>>?' },
      { 'mcp-name': '=?base64?Pj4-Pw==?=' },
    ],
    [
      'HDR-43 a name in blanked Base64',
      'tools/call',
      { name: 'echo' },
      { 'mcp-name': '=?base64?ZWNo bw==?=' },
    ],
    [
      'HDR-43 a name with loose last bits',
      'tools/call',
      { name: 'echo' },
      { 'mcp-name': '=?base64?ZWNobx==?=' },
    ],
    ['HDR-43 a name that is not UTF-8', 'tools/call', { name: 'echo' }, { 'mcp-name': '=?base64?/w==?=' }],
    ['HDR-43 a marker in capitals', 'tools/call', { name: 'echo' }, { 'mcp-name': '=?BASE64?ZWNobw==?=' }],
    ['HDR-43 a marker without an end', 'tools/call', { name: 'echo' }, { 'mcp-name': '=?base64?ZWNobw==' }],
    ['HDR-44 a name in Latin-1 bytes', 'tools/call', { name: 'é' }, { 'mcp-name': 'é' }],
    ['HDR-6 no name on a prompt', 'prompts/get', { name: 'greeting' }, { 'mcp-name': undefined }],
    ['HDR-6 no name on a resource', 'resources/read', { uri: 'notes://logo' }, { 'mcp-name': undefined }],
    [
      'HDR-6 a name and a mismatched resource',
      'resources/read',
      { uri: 'notes://logo' },
      { 'mcp-name': 'notes://LOGO' },
    ],
  ] satisfies [string, string, Record<string, unknown>, HeaderChange][]
).map(([name, method, params, change]) => ({
  name,
  request: modernPost(method, params, change),
  expected: refused(400, -32020, id),
}))

const eras: Row[] = [
  {
    name: 'LEG-11 a modern header over a bare body',
    request: legacyPost('tools/list', {}, { 'mcp-protocol-version': '2026-07-28' }),
    expected: malformed,
  },
  {
    name: 'LEG-11 initialize under a modern header',
    request: legacyPost('initialize', {}, { 'mcp-protocol-version': '2026-07-28' }),
    expected: malformed,
  },
  {
    name: 'LEG-10 TRAP-34 initialize with a modern envelope',
    request: modernPost('initialize', { protocolVersion: legacyVersion, capabilities: {} }),
    expected: refused(404, -32601, id),
  },
  {
    name: 'VERS-11 the older version in a modern envelope under a modern header',
    request: modernPost('tools/list', { _meta: meta({ [versionKey]: legacyVersion }) }),
    expected: refused(400, -32020, id),
  },
]

const notice = (text: string, lines: readonly string[] = [json]) => posted(text, lines)
const messages: Row[] = [
  ['B012 an unknown notification', '{"jsonrpc":"2.0","method":"notifications/nothing"}', empty(202)],
  [
    'B012 a request method without an id',
    '{"jsonrpc":"2.0","method":"tools/call","params":{"name":"failing"}}',
    empty(202),
  ],
  ['B015 a notification without a name', '{"jsonrpc":"2.0","method":""}', empty(202)],
  [
    'B012 a notification with broken params',
    '{"jsonrpc":"2.0","method":"notifications/x","params":7}',
    empty(202),
  ],
  [
    'B008 the cancellation of 0',
    '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":0}}',
    empty(202),
  ],
  [
    'B016 a notification of JSON-RPC 1.0',
    '{"jsonrpc":"1.0","method":"notifications/x"}',
    refused(400, -32600),
  ],
  ['B015 a notification whose method is a number', '{"jsonrpc":"2.0","method":3}', refused(400, -32600)],
  ['LEG-22 a posted result of the older revision', '{"jsonrpc":"2.0","id":1,"result":{}}', empty(202)],
  [
    'LEG-22 a posted error of the older revision',
    '{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"x"}}',
    empty(202),
  ],
  [
    'B016 a posted error with the id null',
    '{"jsonrpc":"2.0","id":null,"error":{"code":1,"message":"x"}}',
    refused(400, -32600),
  ],
].map(([name, text, expected]) => ({
  name: name as string,
  request: notice(text as string),
  expected: expected as Row['expected'],
}))

const modernMessages: Row[] = [
  {
    name: 'WIRE-8 a posted result of the newer revision',
    request: notice('{"jsonrpc":"2.0","id":5,"result":{}}', [json, 'MCP-Protocol-Version: 2026-07-28']),
    expected: refused(400, -32600, '5'),
  },
  {
    name: 'WIRE-8 a posted error of the newer revision',
    request: notice('{"jsonrpc":"2.0","id":"e","error":{}}', [json, 'MCP-Protocol-Version: 2026-07-28']),
    expected: refused(400, -32600, '"e"'),
  },
  {
    name: 'B013 a notification under a version that is not served',
    request: notice('{"jsonrpc":"2.0","method":"x"}', [json, 'MCP-Protocol-Version: 1999-01-01']),
    expected: refused(400, -32022),
  },
  {
    name: 'B014 a notification with an id',
    request: modernPost('notifications/cancelled', { requestId: 1 }),
    expected: refused(404, -32601, id),
  },
]

export const envelopeRows: readonly Row[] = [
  ...envelopes,
  ...versions,
  ...mismatches,
  ...eras,
  ...messages,
  ...modernMessages,
]
