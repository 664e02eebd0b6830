import { describe, expect, test } from 'vitest'
import {
  ConnectionLostError,
  HttpResponseError,
  InternalClientError,
  MalformedResponseError,
  OutcomeUnknownError,
  RpcError,
} from '../../../src/client/errors.js'
import { echoTool, failure, metaOf, notifying, says, scripted, throws, tools, type Step } from './script.js'

const failures: Readonly<Record<string, () => Error>> = {
  'interrupted stream': () => new OutcomeUnknownError(new ConnectionLostError()),
  'lost before the answer': () => new OutcomeUnknownError(new Error('ECONNRESET')),
  'server fault': () => new OutcomeUnknownError(new HttpResponseError(503)),
  'malformed answer': () => new OutcomeUnknownError(new MalformedResponseError('bad')),
  abort: () => new OutcomeUnknownError(new DOMException('gone', 'AbortError')),
  'JSON-RPC error': () => new RpcError(-32000, 'no'),
  unauthorized: () => new HttpResponseError(401),
  'nothing sent': () => new InternalClientError('cannot'),
}
const hints = [true, false, undefined]
const combinations = hints.flatMap((readOnlyHint) =>
  hints.flatMap((idempotentHint) =>
    hints.flatMap((destructiveHint) =>
      [true, false].flatMap((trustToolAnnotations) =>
        [1, 2, 3].flatMap((maxAttempts) =>
          Object.keys(failures).map((kind) => ({
            annotations: { readOnlyHint, idempotentHint, destructiveHint },
            trustToolAnnotations,
            maxAttempts,
            kind,
          })),
        ),
      ),
    ),
  ),
)

describe('the retry policy', () => {
  test.each([new RpcError(-32022, 'no', { supported: ['2026-07-28'] }), new RpcError(-32020, 'no')])(
    'G-102: what told of its progress has begun, and is not sent again for $rpc',
    async (refusal) => {
      const begun = notifying(
        (request) => [
          {
            method: 'notifications/progress',
            params: { progressToken: metaOf(request)['progressToken'], progress: 1 },
          },
        ],
        throws(refusal),
      )
      const { caller, of } = scripted({ 'tools/list': tools(echoTool), 'tools/call': [begun, says('twice')] })
      const call = caller.callTool(
        { tool: 'echo', arguments: { text: 'a' } },
        { onProgress: () => undefined },
      )
      expect(await failure(call)).toBe(refusal)
      expect(of('tools/call')).toHaveLength(1)
    },
  )

  test(`G-95 to G-99: ${combinations.length} combinations, each with its number of attempts`, async () => {
    for (const { annotations, trustToolAnnotations, maxAttempts, kind } of combinations) {
      const step: Step = throws(failures[kind]!())
      const { caller, of } = scripted(
        { 'tools/list': tools({ ...echoTool, annotations }), 'tools/call': step },
        { retry: { maxAttempts, trustToolAnnotations } },
      )
      const error = await failure(caller.callTool({ tool: 'echo', arguments: { text: 'a' } }))
      const repeatable = annotations.readOnlyHint === true || annotations.idempotentHint === true
      const expected = kind === 'interrupted stream' && trustToolAnnotations && repeatable ? maxAttempts : 1
      const row = JSON.stringify({ annotations, trustToolAnnotations, maxAttempts, kind })
      expect(of('tools/call'), row).toHaveLength(expected)
      expect(error.constructor, row).toBe(failures[kind]!().constructor)
    }
  })

  test('G-95: one attempt by default, and only whole numbers of attempts', async () => {
    const readOnly = tools({ ...echoTool, annotations: { readOnlyHint: true } })
    const lost = throws(failures['interrupted stream']!())
    const { caller, of } = scripted({ 'tools/list': readOnly, 'tools/call': lost })
    await failure(caller.callTool({ tool: 'echo', arguments: { text: 'a' } }))
    expect(of('tools/call')).toHaveLength(1)
    for (const maxAttempts of [0, -1, 1.5, NaN, Infinity]) {
      expect(() => scripted({}, { retry: { maxAttempts, trustToolAnnotations: true } })).toThrow(
        expect.objectContaining({ code: 'ERR_OPTION' }),
      )
    }
  })

  const trusting = { retry: { maxAttempts: 3, trustToolAnnotations: true } }
  const idempotent = tools({ ...echoTool, annotations: { idempotentHint: true } })
  const lost = throws(new OutcomeUnknownError(new ConnectionLostError()))

  test('G-98: the repetition has an id and a progress token of its own, and the same arguments', async () => {
    const { caller, of } = scripted({ 'tools/list': idempotent, 'tools/call': [lost, says('ok')] }, trusting)
    const request = { tool: 'echo', arguments: { text: 'a' }, continuation: { requestState: 's' } }
    await caller.callTool(request, { onProgress: () => undefined })
    const [first, second] = of('tools/call')
    expect(second!.id).not.toBe(first!.id)
    expect(metaOf(second)['progressToken']).not.toBe(metaOf(first)['progressToken'])
    expect({ ...second!.params, _meta: 0 }).toEqual({ ...first!.params, _meta: 0 })
  })

  test.each(['JSON-RPC error', 'unauthorized', 'nothing sent', 'malformed answer'])(
    'G-102: after a lost stream, %s leaves the outcome unknown and is its cause',
    async (kind) => {
      const last = failures[kind]!()
      const { caller } = scripted({ 'tools/list': idempotent, 'tools/call': [lost, throws(last)] }, trusting)
      const error = await failure(caller.callTool({ tool: 'echo', arguments: { text: 'a' } }))
      expect(error).toBeInstanceOf(OutcomeUnknownError)
      expect(error.cause).toBe(last instanceof OutcomeUnknownError ? last.cause : last)
    },
  )

  test('G-102: after a lost stream, a result that breaks its schema leaves the outcome unknown', async () => {
    const tool = { ...echoTool, annotations: { readOnlyHint: true }, outputSchema: { type: 'object' } }
    const { caller } = scripted({ 'tools/list': tools(tool), 'tools/call': [lost, says('x')] }, trusting)
    const error = await failure(caller.callTool({ tool: 'echo', arguments: { text: 'a' } }))
    expect(error).toMatchObject({ kind: 'unknown', cause: { kind: 'malformed' } })
  })

  test('G-99: a callback that throws what looks like a cut stream is not repeated', async () => {
    const progress = (request: { params: Record<string, any> }) => [
      {
        method: 'notifications/progress',
        params: { progressToken: request.params['_meta'].progressToken, progress: 1 },
      },
    ]
    const { caller, of } = scripted(
      { 'tools/list': idempotent, 'tools/call': notifying(progress, says('ok')) },
      trusting,
    )
    const mine = new ConnectionLostError('mine')
    const onProgress = () => {
      throw mine
    }
    const error = await failure(caller.callTool({ tool: 'echo', arguments: { text: 'a' } }, { onProgress }))
    expect(error).toMatchObject({ kind: 'unknown', cause: mine })
    expect(of('tools/call')).toHaveLength(1)
  })

  test('G-101: an aborted signal prevents the request', async () => {
    const { caller, sent } = scripted({})
    const reason = new Error('enough')
    expect(await failure(caller.callTool({ tool: 'echo' }, { signal: AbortSignal.abort(reason) }))).toBe(
      reason,
    )
    expect(await failure(caller.request('server/discover', {}, { signal: AbortSignal.abort(reason) }))).toBe(
      reason,
    )
    expect(sent).toEqual([])
  })
})
