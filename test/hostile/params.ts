import {
  answered,
  failed,
  id,
  legacyPost,
  modernPost,
  refused,
  type HostileRequest,
  type Row,
} from './request.js'

const invalid = refused(200, -32602, id)

type Case = readonly [
  name: string,
  method: string,
  params: Record<string, unknown>,
  expected: Row['expected'],
  older?: Row['expected'],
]

const echo = (args: unknown) => ({ name: 'echo', arguments: args })
const summary = (args: unknown) => ({ name: 'summary', arguments: args })
const prompt = { type: 'ref/prompt', name: 'summary' }
const template = { type: 'ref/resource', uri: 'notes://note/{id}' }
const read = (name: string, uri: unknown): Case => [
  name,
  'resources/read',
  { uri },
  invalid,
  refused(200, -32002, id),
]

const cases: readonly Case[] = [
  ['B051 an empty cursor', 'tools/list', { cursor: '' }, invalid],
  ['B051 a made-up cursor', 'tools/list', { cursor: 'x' }, invalid],
  [
    'B051 the cursor of another list',
    'tools/list',
    { cursor: Buffer.from('prompts\ngreeting').toString('base64url') },
    invalid,
  ],
  [
    'B051 a cursor in other Base64',
    'tools/list',
    { cursor: `${Buffer.from('tools\necho').toString('base64')}==` },
    invalid,
  ],
  ['B051 a cursor as a number', 'prompts/list', { cursor: 0 }, invalid],
  ['B051 a cursor null', 'resources/list', { cursor: null }, invalid],
  ['B051 a cursor as an object', 'resources/templates/list', { cursor: {} }, invalid],
  ['B020 no tool name', 'tools/call', {}, invalid],
  ['B021 a tool name as a number', 'tools/call', { name: 7 }, invalid],
  ['B020 a tool name null', 'tools/call', { name: null }, invalid],
  ['B020 an unknown tool', 'tools/call', { name: 'nope' }, invalid],
  ['B070 the tool constructor', 'tools/call', { name: 'constructor' }, invalid],
  ['B070 the tool __proto__', 'tools/call', { name: '__proto__' }, invalid],
  ['B020 a tool in capitals', 'tools/call', { name: 'ECHO' }, invalid],
  ['B020 a tool with a blank inside', 'tools/call', { name: 'ec ho' }, invalid],
  ['B021 arguments as a list', 'tools/call', echo([]), invalid],
  ['B021 arguments as text', 'tools/call', echo('text'), invalid],
  ['B021 arguments as a number', 'tools/call', echo(0), invalid],
  ['B021 arguments false', 'tools/call', echo(false), invalid],
  ['B018 arguments null', 'tools/call', echo(null), failed()],
  ['B021 no arguments', 'tools/call', { name: 'echo' }, failed()],
  ['B021 a wrong type', 'tools/call', echo({ text: 7 }), failed()],
  ['B021 a fraction', 'tools/call', echo({ text: 'a', times: 1.5 }), failed()],
  ['B021 a list where text belongs', 'tools/call', echo({ text: ['a'] }), failed()],
  ['B021 null where text belongs', 'tools/call', echo({ text: null }), failed()],
  ['B062 an unknown argument', 'tools/call', echo({ text: 'a', txet: 'b' }), answered()],
  ['B069 no prompt name', 'prompts/get', {}, invalid],
  ['B069 a prompt name as a list', 'prompts/get', { name: ['greeting'] }, invalid],
  ['B069 an unknown prompt', 'prompts/get', { name: 'nope' }, invalid],
  ['B070 the prompt toString', 'prompts/get', { name: 'toString' }, invalid],
  ['B069 a missing prompt argument', 'prompts/get', summary({}), invalid],
  ['B069 a prompt argument as a number', 'prompts/get', summary({ topic: 7 }), invalid],
  ['B069 prompt arguments null', 'prompts/get', summary(null), invalid],
  ['B069 prompt arguments as a list', 'prompts/get', summary(['moats']), invalid],
  ['B069 a prompt argument outside its list', 'prompts/get', summary({ topic: 'a', tone: 'loud' }), invalid],
  ['B022 no uri', 'resources/read', {}, invalid],
  ['B022 a uri as a number', 'resources/read', { uri: 7 }, invalid],
  ['B022 a uri as a list', 'resources/read', { uri: ['notes://logo'] }, invalid],
  read('B022 an unknown uri', 'notes://nowhere'),
  read('B022 not a uri', '::not a uri'),
  read('B022 an empty uri', ''),
  read('B053 an encoded separator', 'notes://note/..%2F..%2Fetc%2Fpasswd'),
  read('B053 a dot segment', 'notes://note/..'),
  read('B053 an encoded dot segment', 'notes://note/%2e%2e'),
  read('B053 an encoded NUL', 'notes://note/a%00b'),
  read('B053 an encoded backslash', 'notes://note/..%5Cx'),
  read('B054 a broken escape', 'notes://note/%ZZ'),
  read('B053 a plain separator', 'notes://note/a/b'),
  read('B022 a file', 'file:///etc/passwd'),
  read('B056 20,000 commas', `notes://note/${','.repeat(20_000)}/`),
  ['B057 no reference', 'completion/complete', { argument: { name: 'topic', value: '' } }, invalid],
  [
    'B057 a reference as text',
    'completion/complete',
    { ref: 'summary', argument: { name: 'topic', value: '' } },
    invalid,
  ],
  [
    'B057 an unknown kind of reference',
    'completion/complete',
    { ref: { type: 'ref/tool', name: 'echo' } },
    invalid,
  ],
  [
    'B057 an unknown prompt',
    'completion/complete',
    { ref: { type: 'ref/prompt', name: 'x' }, argument: { name: 'a', value: '' } },
    invalid,
  ],
  [
    'B057 a prompt name as an object',
    'completion/complete',
    { ref: { type: 'ref/prompt', name: {} }, argument: { name: 'a', value: '' } },
    invalid,
  ],
  ['B057 a uri as a number', 'completion/complete', { ref: { type: 'ref/resource', uri: 1 } }, invalid],
  ['B057 no argument', 'completion/complete', { ref: prompt }, invalid],
  [
    'B057 an unknown argument',
    'completion/complete',
    { ref: prompt, argument: { name: 'x', value: '' } },
    invalid,
  ],
  [
    'B070 the argument __proto__',
    'completion/complete',
    { ref: template, argument: { name: '__proto__', value: '' } },
    invalid,
  ],
  [
    'B057 a value as a number',
    'completion/complete',
    { ref: template, argument: { name: 'id', value: 7 } },
    invalid,
  ],
  [
    'B057 a context as a list',
    'completion/complete',
    { ref: template, argument: { name: 'id', value: '' }, context: [] },
    invalid,
  ],
  [
    'B057 chosen arguments as numbers',
    'completion/complete',
    { ref: template, argument: { name: 'id', value: '' }, context: { arguments: { id: 1 } } },
    invalid,
  ],
]

/** The Mcp-Name header of a modern request, where the target can be put into one. */
function named(method: string, params: Record<string, unknown>): HostileRequest {
  const target = params['name'] ?? params['uri']
  if (!['tools/call', 'prompts/get', 'resources/read'].includes(method)) return modernPost(method, params)
  const text = typeof target === 'string' ? target : 'x'
  return modernPost(method, params, {
    'mcp-name':
      text.length > 5000 || !/^[!-~]+$/.test(text)
        ? `=?base64?${Buffer.from(text).toString('base64')}?=`
        : text,
  })
}

export const paramRows: readonly Row[] = cases.map(([name, method, params, expected]) => ({
  name,
  request: named(method, params),
  expected,
}))

/** The same cases as an older client sends them. */
export const olderParamRows: readonly Row[] = cases.map(
  ([name, method, params, expected, older = expected]) => ({
    name,
    request: legacyPost(method, params),
    expected: older,
  }),
)
