import {
  definePrompt,
  defineResource,
  defineResourceTemplate,
  defineTool,
  result,
  text,
  ToolError,
} from 'castellan'
import { handle, type McpOptions } from 'castellan/fastify'
import { z } from 'zod'

const secret = 'secret-detail'

function cycle(): Record<string, unknown> {
  const self: Record<string, unknown> = {}
  self['self'] = self
  return self
}

function revoked(): object {
  const { proxy, revoke } = Proxy.revocable({}, {})
  revoke()
  return proxy
}

const explosive = () => {
  throw new Error(secret)
}

/** What a handler may return or throw by mistake. */
export const oddReturns: Readonly<Record<string, () => unknown>> = {
  undefined: () => undefined,
  null: () => null,
  number: () => 7,
  NaN: () => NaN,
  bigint: () => 1n,
  symbol: () => Symbol(secret),
  function: () => explosive,
  cycle,
  revoked,
  date: () => new Date(NaN),
  map: () => new Map([[secret, secret]]),
  bytes: () => new Uint8Array([0xff]),
  surrogate: () => '\ud800',
  empty: () => [],
  nested: () => [[[]]],
  'typed wrongly': () => ({ type: 'script' }),
  'bigint in a block': () => ({ type: 'text', text: 1n }),
  'block without JSON': () => [{ type: 'text', toJSON: () => undefined }, text('b')],
  'block as a list': () => ({ type: 'text', toJSON: () => [1] }),
  'cyclic block': () => ({ ...cycle(), type: 'text' }),
  toJSON: () => ({ toJSON: explosive }),
  getter: () => Object.defineProperty({}, 'type', { get: explosive, enumerable: true }),
  thenable: () => ({ then: explosive }),
  'thenable that rejects': () => ({
    then: (_: unknown, reject: (reason: unknown) => void) => reject(secret),
  }),
  'metadata as a list': () => result(undefined, { metadata: [1] as never }),
  'metadata as text': () => result(undefined, { metadata: 'x' as never }),
  'metadata null': () => result(undefined, { metadata: null as never }),
  'cyclic metadata': () => result(undefined, { metadata: cycle() }),
  'metadata with its own JSON': () => result(undefined, { metadata: { toJSON: () => 'x' } }),
  'metadata of functions': () => result(undefined, { metadata: { 'com.example/f': explosive } }),
  'reserved metadata': () =>
    result(undefined, {
      metadata: { 'io.modelcontextprotocol/serverInfo': { name: 'other', version: '0' } },
    }),
  'content as text': () => result(undefined, { content: 'text' as never }),
  'content null': () => result(undefined, { content: null as never }),
}

export const oddThrows: Readonly<Record<string, () => unknown>> = {
  error: () => new Error(`${secret} at ${import.meta.url}`),
  string: () => secret,
  undefined: () => undefined,
  null: () => null,
  symbol: () => Symbol(secret),
  bigint: () => 1n,
  revoked,
  cycle: () => Object.assign(new Error(secret), { cause: cycle() }),
  'cause of itself': () => {
    const error = new Error(secret)
    error.cause = error
    return error
  },
  'explosive message': () => Object.defineProperty(new Error(secret), 'message', { get: explosive }),
  'explosive stack': () => Object.defineProperty(new Error(secret), 'stack', { get: explosive }),
  'explosive code': () => Object.defineProperty(new Error(secret), 'code', { get: explosive }),
  status: () =>
    Object.assign(new Error(secret), {
      statusCode: 503,
      status: 401,
      headers: { 'www-authenticate': 'Bearer' },
    }),
  fastify: () => Object.assign(new Error(secret), { code: 'FST_ERR_CTP_BODY_TOO_LARGE', statusCode: 413 }),
  'JSON-RPC': () => Object.assign(new Error(secret), { code: -32020, http: 400 }),
  abort: () => new DOMException(secret, 'AbortError'),
  aggregate: () => new AggregateError([new Error(secret)], secret),
  'speaking error': () => new ToolError('The shelf is empty'),
  'speaking error without text': () => new ToolError(),
}

const how = z.object({ how: z.string() })

function act(what: string): unknown {
  const [verb, which = ''] = what.split(':')
  if (verb === 'reject') return rejected(which)
  if (verb === 'throw') throw oddThrows[which]?.()
  return oddReturns[which]?.()
}

async function rejected(which: string): Promise<never> {
  throw oddThrows[which]?.()
}

const odd = handle(
  defineTool({ name: 'odd', description: 'Acts as it is told', input: how }),
  ({ how: what }) => act(what) as string,
)

const oddValue = handle(
  defineTool({ name: 'odd_value', description: 'The same with a value', input: how, output: z.unknown() }),
  ({ how: what }) => act(what),
)

const oddCheck = handle(
  defineTool({
    name: 'odd_check',
    description: 'Has a check that fails',
    input: z.object({ how: z.string().refine(async (what) => (await act(what)) !== 1) }),
  }),
  () => 'passed',
)

/** Reports without waiting, numbers that are none, and after the end. */
const oddProgress = handle(
  defineTool({
    name: 'odd_progress',
    description: 'Reports badly',
    input: z.object({ steps: z.array(z.unknown()).max(50) }),
  }),
  async ({ steps }, { progress, signal }) => {
    for (const step of steps)
      void progress({ progress: step as number, total: step as number, message: step as string })
    setImmediate(() => setImmediate(() => void progress({ progress: NaN })))
    await new Promise((resolve) => setImmediate(resolve))
    return `${steps.length} ${signal.aborted}`
  },
)

const fixed = handle(defineResource({ uri: 'notes://fixed', name: 'fixed' }), () => 'text')
const oddResource = handle(
  defineResourceTemplate({ uriTemplate: 'notes://odd/{how}', name: 'odd' }),
  ({ how: what }) => act(what) as string,
  { complete: { how: (value) => act(value) as string[] } },
)
const oddPrompt = handle(
  definePrompt({ name: 'odd', arguments: z.object({ how: z.string(), other: z.string().optional() }) }),
  ({ how: what }) => act(what) as string,
  { complete: { how: (value) => act(value) as string[] } },
)

export const oddOffer: Partial<McpOptions> = {
  tools: [odd, oddValue, oddCheck, oddProgress],
  resources: [fixed, oddResource],
  prompts: [oddPrompt],
}
