import { answered, id, legacyPost, legacyVersion, refused, type Row } from './request.js'

const invalid = refused(200, -32602, id)
const handshake = {
  protocolVersion: legacyVersion,
  capabilities: {},
  clientInfo: { name: 'old', version: '1' },
}
export const legacyRows: readonly Row[] = [
  ...(
    [
      ['an empty handshake', {}],
      ['no version', { ...handshake, protocolVersion: undefined }],
      ['an empty version', { ...handshake, protocolVersion: '' }],
      ['a version as a number', { ...handshake, protocolVersion: 2025 }],
      ['a version null', { ...handshake, protocolVersion: null }],
      ['capabilities null', { ...handshake, capabilities: null }],
      ['capabilities as a list', { ...handshake, capabilities: [] }],
      ['no clientInfo', { ...handshake, clientInfo: undefined }],
      ['clientInfo as text', { ...handshake, clientInfo: 'old' }],
      ['clientInfo without a version', { ...handshake, clientInfo: { name: 'old' } }],
    ] satisfies [string, unknown][]
  ).map(([name, params]): Row => ({
    name: `G-15 initialize with ${name}`,
    request: legacyPost('initialize', params),
    expected: invalid,
  })),
  {
    name: 'B025 initialize asking for a newer version',
    request: legacyPost('initialize', { ...handshake, protocolVersion: '2026-07-28' }),
    expected: answered(),
  },
  { name: 'G-17 initialize without params', request: legacyPost('initialize'), expected: invalid },
  ...[null, [], 'x', 7, true].map((params): Row => ({
    name: `G-17 params ${JSON.stringify(params)}`,
    request: legacyPost('tools/list', params),
    expected: refused(400, -32600, id),
  })),
  { name: 'LEG-16 _meta as a list', request: legacyPost('tools/list', { _meta: [] }), expected: invalid },
  { name: 'LEG-16 _meta null', request: legacyPost('tools/list', { _meta: null }), expected: invalid },
  {
    name: 'LEG-16 a progress token of a wrong kind',
    request: legacyPost('tools/list', { _meta: { progressToken: {} } }),
    expected: invalid,
  },
  {
    name: 'LEG-16 foreign keys in _meta',
    request: legacyPost('tools/list', { _meta: { '': null, x: [] } }),
    expected: answered(),
  },
  ...[
    '2024-11-05',
    '2025-03-26',
    '2025-06-18',
    '1.0',
    'latest',
    '2025-11-25, 2025-11-25',
    '2025-11-2',
    '9',
    'zzzz',
    '2026-07-28-x',
  ].map((version): Row => ({
    name: `LEG-13 B026 the version header ${version}`,
    request: legacyPost('tools/list', {}, { 'mcp-protocol-version': version }),
    expected: refused(400, -32022, id),
  })),
  {
    name: 'LEG-13 an empty version header',
    request: legacyPost('tools/list', {}, { 'mcp-protocol-version': '' }),
    expected: refused(400, -32022, id),
  },
  {
    name: 'LEG-23 Mcp headers that disagree',
    request: legacyPost('tools/list', {}, { 'mcp-method': 'x', 'mcp-name': 'y' }),
    expected: answered(),
  },
  {
    name: 'B041 a session nobody gave out',
    request: legacyPost('tools/list', {}, { 'mcp-session-id': 'stolen' }),
    expected: answered(),
  },
  {
    name: 'LEG-26 server/discover',
    request: legacyPost('server/discover'),
    expected: refused(200, -32601, id),
  },
  { name: 'LEG-25 ping with strange params', request: legacyPost('ping', { x: [{}] }), expected: answered() },
]
