import { ConsentRequiredError, InvalidTokenError } from 'castellan/transports'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { InvalidCallError, toToolFailure } from '../../src/agent/index.js'
import { taskFailure } from '../../src/agent/to-tool-failure.js'
import {
  ConnectionLostError,
  HttpResponseError,
  InternalClientError,
  InvalidArgumentsError,
  MalformedResponseError,
  OutcomeUnknownError,
  RpcError,
  SubscriptionCancelledError,
  ToolExecutionError,
} from '../../src/client/errors.js'
import { complete } from './scripted-caller.js'

const deadline = () => new DOMException('The operation was aborted due to timeout', 'TimeoutError')
const abort = (cause?: unknown) =>
  new DOMException('This operation was aborted', { name: 'AbortError', cause })
const system = (code: string) => Object.assign(new Error('network'), { code })
const wrapped = (cause: unknown) => new TypeError('fetch failed', { cause })
const rejected = (text: string) =>
  new ToolExecutionError('failed', complete(undefined, { isError: true, content: [{ type: 'text', text }] }))

const correct = { action: 'correct_call', issues: [] }

describe('table 5.1', () => {
  test.each([
    ['deadline exceeded before dispatch', deadline(), 'timeout', 'finish'],
    ['deadline before dispatch, wrapped by a fetch', wrapped(deadline()), 'timeout', 'finish'],
    ['deadline before dispatch, inside an AbortError', abort(deadline()), 'timeout', 'finish'],
    ['cancelled before dispatch', abort(), 'unavailable', 'finish'],
    ['cancelled before dispatch, wrapped', wrapped(abort()), 'unavailable', 'finish'],
    ['other transport error', new ConnectionLostError(), 'unavailable', 'finish'],
    ['other transport error of the system', wrapped(system('ECONNREFUSED')), 'unavailable', 'finish'],
    ['other transport error of undici', system('UND_ERR_SOCKET'), 'unavailable', 'finish'],
    ['subscription cancelled', new SubscriptionCancelledError(), 'unavailable', 'finish'],
    ['HTTP error status 401', new HttpResponseError(401), 'unavailable', 'finish'],
    ['B14 a refused token', new InvalidTokenError(), 'unavailable', 'finish'],
    [
      'B14 a consent that is missing',
      new ConsentRequiredError({ url: 'https://h', issuer: 'https://i', scopes: [] }),
      'unavailable',
      'finish',
    ],
    ['HTTP error status 503', new HttpResponseError(503), 'unavailable', 'finish'],
    ['OutcomeUnknownError with deadline cause', new OutcomeUnknownError(deadline()), 'timeout', 'finish'],
    [
      'OutcomeUnknownError with a deadline far down',
      new OutcomeUnknownError(wrapped(abort(deadline()))),
      'timeout',
      'finish',
    ],
    ['OutcomeUnknownError otherwise: G-103', new OutcomeUnknownError(abort()), 'unavailable', 'finish'],
    [
      'OutcomeUnknownError over a known refusal',
      new OutcomeUnknownError(new RpcError(-32602, 'x')),
      'unavailable',
      'finish',
    ],
    ['MalformedResponseError', new MalformedResponseError('odd'), 'malformed_result', 'finish'],
    ['InternalClientError: G-103', new InternalClientError('bug'), 'internal', 'finish'],
    [
      'InternalClientError with deadline cause',
      new InternalClientError('bug', { cause: deadline() }),
      'internal',
      'finish',
    ],
    ['ToolExecutionError', rejected('no such note'), 'domain_rejection', 'replan'],
    ['RpcError -32601', new RpcError(-32601, 'Unknown method'), 'invalid_call', 'replan'],
    ['other RpcError', new RpcError(-32000, 'secret detail', { a: 1 }), 'internal', 'finish'],
    ['unknown', new Error('anything'), 'internal', 'finish'],
    ['a refused configuration', new TypeError('x'), 'internal', 'finish'],
    ['nothing at all', undefined, 'internal', 'finish'],
  ])('%s', (_, error, kind, action) => {
    const failure = toToolFailure(error)
    expect(failure).toMatchObject({ kind, recovery: { action } })
    expect(failure.cause).toBe(error)
  })

  test('RpcError -32602 is corrected, without issues unless they were found here', () => {
    const remote = new RpcError(-32602, 'limit is too big', { issues: [{ path: ['a'] }] })
    expect(toToolFailure(remote)).toEqual({
      kind: 'invalid_call',
      message: 'limit is too big',
      recovery: correct,
    })
    const issue = { path: '/a~1b/0', constraint: 'type', message: 'must be text', value: 'secret' }
    const local = new InvalidArgumentsError([issue])
    expect(toToolFailure(local).recovery).toEqual({
      action: 'correct_call',
      issues: [{ path: ['a/b', '0'], constraint: 'type', message: 'must be text' }],
    })
  })

  test('InvalidCallError brings its issues: G-180', () => {
    const issues = [{ path: ['limit'], constraint: 'too_big', message: 'Too big' }]
    expect(toToolFailure(new InvalidCallError(issues))).toMatchObject({
      kind: 'invalid_call',
      recovery: { action: 'correct_call', issues },
    })
  })

  test.each([-32602, -32601, -32603, 7])('Task failed with %i: internal and finish', (code) => {
    expect(taskFailure(code, 'why', { a: 1 })).toMatchObject({
      kind: 'internal',
      recovery: { action: 'finish' },
    })
  })
})

describe('what a model sees of a failure', () => {
  test('the text of a tool that failed, without what is for the user alone', () => {
    const failed = complete(undefined, {
      isError: true,
      content: [
        { type: 'text', text: 'no such note' },
        { type: 'text', text: 'for you', annotations: { audience: ['user'] } },
        { type: 'text', text: 'try search' },
      ],
    })
    expect(toToolFailure(new ToolExecutionError('x', failed)).message).toBe('no such note\ntry search')
  })

  test('neither code nor data nor cause: G-182', () => {
    const failure = toToolFailure(new RpcError(-32000, 'secret detail', { secret: true }))
    expect(JSON.stringify(failure)).not.toContain('secret')
    expect(failure.cause).toMatchObject({ rpc: -32000, data: { secret: true } })
  })
})

describe('toToolFailure is total', () => {
  const hostile = [
    new Proxy(
      {},
      { get: () => fail(), getPrototypeOf: () => fail(), has: () => fail(), ownKeys: () => fail() },
    ),
    Object.defineProperty(new Error('x'), 'cause', { get: fail }),
    Object.defineProperty(new RpcError(-32602, 'x'), 'message', { get: fail }),
    Object.defineProperty(new InvalidCallError([]), 'message', { get: fail }),
    Object.defineProperty(new InvalidArgumentsError([]), 'issues', { value: [new Proxy({}, { get: fail })] }),
    new ToolExecutionError('x', { content: [null] } as never),
    new ToolExecutionError('x', null as never),
    Object.create(null),
    Symbol('x'),
    7n,
    () => fail(),
    deepCauses(),
  ]

  function fail(): never {
    throw new Error('do not touch')
  }

  function deepCauses(): unknown {
    let error: unknown = new Error('bottom')
    for (let i = 0; i < 100_000; i++) error = { cause: error }
    return error
  }

  test.each(hostile.map((error, at) => [at, error] as const))('hostile thing %i', (_, error) => {
    const { recovery, message } = toToolFailure(error)
    expect(typeof message).toBe('string')
    expect(['finish', 'replan', 'correct_call']).toContain(recovery.action)
  })

  test('a hostile cause hides nothing: an unknown outcome still finishes', () => {
    const cause = new Proxy({}, { get: fail, getPrototypeOf: fail })
    expect(toToolFailure(new OutcomeUnknownError(cause))).toMatchObject({ kind: 'unavailable' })
  })

  test('causes in a circle', () => {
    const a = new Error('a')
    const b = new Error('b', { cause: a })
    a.cause = b
    expect(toToolFailure(a)).toMatchObject({ kind: 'internal', recovery: { action: 'finish' } })
    b.cause = deadline()
    expect(toToolFailure(a)).toMatchObject({ kind: 'timeout' })
  })

  test('anything', () => {
    fc.assert(
      fc.property(fc.anything({ withNullPrototype: true, withBigInt: true }), (value) => {
        expect(toToolFailure(value)).toMatchObject({ kind: 'internal', recovery: { action: 'finish' } })
      }),
    )
  })
})
