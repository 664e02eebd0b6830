import { gzipSync } from 'node:zlib'
import {
  answered,
  chunked,
  http,
  json,
  modernPost,
  posted,
  refused,
  type Expected,
  type HostileRequest,
  type Row,
} from './request.js'

const good = modernPost('tools/list')
const text = good.body as string
const unreadable = refused(400, -32700)

const spliced = (bytes: readonly number[], marker = 'tools/list'): Uint8Array => {
  const at = text.indexOf(marker) + 3
  const whole = Buffer.from(text)
  return Buffer.concat([whole.subarray(0, at), Buffer.from(bytes), whole.subarray(at)])
}

const utf16 = (order: 'le' | 'be', mark: boolean): Uint8Array => {
  const bytes = Buffer.from((mark ? '\ufeff' : '') + text, 'utf16le')
  return order === 'le' ? bytes : bytes.swap16()
}

const bodies: readonly (readonly [string, string | Uint8Array])[] = [
  ['B139 an empty body', ''],
  ['B139 blanks only', ' \r\n\t'],
  ['WIRE-1 a byte order mark before the JSON', `\ufeff${text}`],
  ['WIRE-1 UTF-16 without a mark', utf16('le', false)],
  ['WIRE-1 UTF-16 little endian with a mark', utf16('le', true)],
  ['WIRE-1 UTF-16 big endian with a mark', utf16('be', true)],
  ['B139 a lone continuation byte', spliced([0x80])],
  ['B139 a lead byte without its continuation', spliced([0xc3])],
  ['B139 a truncated four-byte character', spliced([0xf0, 0x9f, 0x8f])],
  ['B139 an overlong slash', spliced([0xc0, 0xaf])],
  ['B139 a surrogate in three bytes', spliced([0xed, 0xa0, 0x80])],
  ['B139 a character beyond U+10FFFF', spliced([0xf4, 0x90, 0x80, 0x80])],
  ['B139 the byte 0xFF', spliced([0xff])],
  ['B139 a body cut inside a character', Buffer.from(`${text.slice(0, -2)}"é`).subarray(0, -1)],
  ['a NUL after the JSON', `${text}\0`],
  ['a NUL inside a string', spliced([0])],
  ['a raw line feed inside a string', spliced([0x0a])],
  ['a raw escape character inside a string', spliced([0x1b])],
  ['B139 one brace', '{'],
  ['a body cut after the method', text.slice(0, text.indexOf('tools/list') + 12)],
  ['a body without its last brace', text.slice(0, -1)],
  ['one brace too many', `${text}}`],
  ['two messages in a row', text + text],
  ['two messages on two lines', `${text}\n${text}`],
  ['a trailing comma', text.replace(/\}$/, ',}')],
  ['single quotes', text.replaceAll('"', "'")],
  ['a comment', `${text}// done`],
  ['unquoted names', text.replace('"jsonrpc"', 'jsonrpc')],
  ['NaN', text.replace('"h-1"', 'NaN')],
  ['Infinity', text.replace('"h-1"', '-Infinity')],
  ['a hexadecimal id', text.replace('"h-1"', '0x1')],
  ['an id with a leading zero', text.replace('"h-1"', '01')],
  ['an id with a plus', text.replace('"h-1"', '+1')],
  ['an id without digits after the point', text.replace('"h-1"', '1.')],
  ['an unknown escape', text.replace('tools/list', 'tools\\x2flist')],
  ['half an escape', text.replace('tools/list', 'tools\\u00')],
  ['undefined', 'undefined'],
  ['a form', 'jsonrpc=2.0&method=tools%2Flist'],
  ['XML', '<?xml version="1.0"?><methodCall/>'],
  ['a line of an event stream', `data: ${text}`],
]

/** Framing of `good` and what comes of it. */
const framed: readonly (readonly [string, Partial<HostileRequest>, Expected])[] = [
  [
    'B140 Content-Length shorter than the body',
    { framing: [`Content-Length: ${text.length - 9}`] },
    http(400),
  ],
  ['B140 Content-Length 0 before a body', { framing: ['Content-Length: 0'] }, http(400)],
  [
    'B140 Content-Length longer than the body',
    { framing: [`Content-Length: ${text.length + 9}`], halfClose: true },
    http(400),
  ],
  ['B140 a Content-Length beyond the limit', { framing: ['Content-Length: 9999999'] }, refused(413, -32600)],
  ['a negative Content-Length', { framing: ['Content-Length: -1'] }, http(400)],
  ['a Content-Length in words', { framing: ['Content-Length: many'] }, http(400)],
  [
    'two Content-Length headers',
    { framing: ['Content-Length: 5', `Content-Length: ${text.length}`] },
    http(400),
  ],
  [
    'Content-Length and chunks',
    { framing: [`Content-Length: ${text.length}`, 'Transfer-Encoding: chunked'], body: chunked(text) },
    http(400),
  ],
  ['no framing at all', { framing: [] }, http(400)],
  [
    'a chunk size in words',
    { framing: ['Transfer-Encoding: chunked'], body: 'zz\r\n{}\r\n0\r\n\r\n' },
    http(400),
  ],
  [
    'a chunk longer than it says',
    { framing: ['Transfer-Encoding: chunked'], body: `2\r\n${text}\r\n0\r\n\r\n` },
    http(400),
  ],
  [
    'chunks without an end',
    { framing: ['Transfer-Encoding: chunked'], body: chunked(text).slice(0, -5), halfClose: true },
    http(400),
  ],
  ['one chunk per byte', { framing: ['Transfer-Encoding: chunked'], body: chunked(text, 1) }, answered()],
  [
    'chunk extensions',
    { framing: ['Transfer-Encoding: chunked'], body: chunked(text).replace('\r\n', ';x="y"\r\n') },
    answered(),
  ],
  [
    'B140 chunks beyond the limit',
    { framing: ['Transfer-Encoding: chunked'], body: chunked(`"${'x'.repeat(1_100_000)}"`, 64_000) },
    refused(413, -32600),
  ],
  ['B140 a body beyond the limit', { body: `"${'x'.repeat(1_100_000)}"` }, refused(413, -32600)],
  ['an unknown transfer coding', { framing: ['Transfer-Encoding: mystery'] }, http(400)],
]

const encoded: readonly Row[] = [
  {
    name: 'gzip bytes that say so',
    request: {
      ...posted(gzipSync(text), good.lines),
      framing: ['Content-Encoding: gzip', `Content-Length: ${gzipSync(text).length}`],
    },
    expected: unreadable,
  },
  { name: 'gzip bytes that do not', request: posted(gzipSync(text), good.lines), expected: unreadable },
  {
    name: 'HTTP-8 a part of a form',
    request: posted(`--x\r\n\r\n${text}\r\n--x--`, ['Content-Type: multipart/form-data; boundary=x']),
    expected: refused(415, -32600),
  },
  { name: 'a JSON string', request: posted('"tools/list"', [json]), expected: refused(400, -32600) },
]

export const byteRows: readonly Row[] = [
  ...bodies.map(([name, body]): Row => ({ name, request: posted(body, good.lines), expected: unreadable })),
  ...framed.map(([name, change, expected]): Row => ({ name, request: { ...good, ...change }, expected })),
  ...encoded,
]
