import { describe, expect, test } from 'vitest'
import { OutcomeUnknownError, RpcError } from '../../../src/client/errors.js'
import { echoTool, failure, gives, metaOf, notifying, says, scripted, throws, tools } from './script.js'

const call = { tool: 'echo', arguments: { text: 'a' } }
const answering = (result: Record<string, unknown>, tool: object = echoTool) =>
  scripted({ 'tools/list': tools(tool), 'tools/call': gives(result) })

describe('what is sent', () => {
  test('META-1, META-2, CL-8: version, client and no capability that nobody serves', async () => {
    const { caller, of } = scripted({ 'tools/list': tools(echoTool), 'tools/call': says('ok') })
    await caller.callTool(call)
    const [request] = of('tools/call')
    expect(metaOf(request)).toEqual({
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': { name: 'script', version: '1' },
      'io.modelcontextprotocol/clientCapabilities': {},
    })
    expect(request!.headers).toEqual({ 'mcp-name': 'echo' })
  })

  test.each([
    [{}, {}, {}],
    [{ inputSupport: { form: true } }, {}, { elicitation: { form: {} } }],
    [{ inputSupport: { form: true, url: true } }, { hostInput: false }, {}],
    [{ inputSupport: { url: true } }, { hostInput: 'automatic' }, {}],
    [
      { onInput: { url: () => ({ action: 'cancel' }) } },
      { hostInput: 'automatic' },
      { elicitation: { url: {} } },
    ],
    [{}, { taskSupport: true }, { extensions: { 'io.modelcontextprotocol/tasks': {} } }],
    [{ extensions: { 'com.example/x': { a: 1 } } }, {}, { extensions: { 'com.example/x': { a: 1 } } }],
  ] as const)('G-140, G-147: %j with %j declares %j', async (options, callOptions, declared) => {
    const { caller, of } = scripted(
      { 'tools/list': tools(echoTool), 'tools/call': says('ok') },
      options as never,
    )
    await caller.callTool(call, callOptions)
    expect(metaOf(of('tools/call')[0])['io.modelcontextprotocol/clientCapabilities']).toEqual(declared)
    const listed = metaOf(of('tools/list')[0])['io.modelcontextprotocol/clientCapabilities']
    expect(listed.elicitation).toBeUndefined()
  })

  test('HDR-27, HDR-40 to HDR-42: annotated parameters are repeated in headers', async () => {
    const inputSchema = {
      type: 'object',
      properties: {
        site: { type: 'string', 'x-mcp-header': 'Site' },
        rush: { type: 'boolean', 'x-mcp-header': 'Rush' },
        note: { type: ['string', 'null'] },
        at: { type: 'object', properties: { bay: { type: 'integer', 'x-mcp-header': 'Bay' } } },
      },
    }
    const { caller, of } = scripted({
      'tools/list': tools({ name: 'reserve', inputSchema }),
      'tools/call': says('ok'),
    })
    await caller.callTool({
      tool: 'reserve',
      arguments: { site: 'Zürich', rush: false, note: 'plain', at: { bay: 0 } },
    })
    expect(of('tools/call')[0]!.headers).toEqual({
      'mcp-name': 'reserve',
      'mcp-param-site': '=?base64?WsO8cmljaA==?=',
      'mcp-param-rush': 'false',
      'mcp-param-bay': '0',
    })
  })

  test('ids differ, always', async () => {
    const { caller, sent } = scripted({ 'tools/list': tools(echoTool), 'tools/call': says('ok') })
    await Promise.all(Array.from({ length: 20 }, () => caller.callTool(call)))
    expect(new Set(sent.map(({ id }) => id)).size).toBe(sent.length)
  })

  test('VERS-3: a refused version is followed once when ours is listed', async () => {
    const refused = throws(new RpcError(-32022, 'version', { supported: ['2026-07-28'], requested: 'x' }))
    const good = scripted({
      'server/discover': [refused, gives({ supportedVersions: [], capabilities: {} })],
    })
    await good.caller.request('server/discover')
    expect(new Set(good.sent.map(({ id }) => id)).size).toBe(2)
    const always = scripted({ 'server/discover': refused })
    expect(await failure(always.caller.request('server/discover'))).toMatchObject({ rpc: -32022 })
    expect(always.sent).toHaveLength(2)
    const other = scripted({
      'server/discover': throws(new RpcError(-32022, 'v', { supported: ['2027-01-01'] })),
    })
    await failure(other.caller.request('server/discover'))
    expect(other.sent).toHaveLength(1)
  })

  test('HDR-28: -32020 reads the list anew and is retried once with corrected headers', async () => {
    const mismatch = throws(new RpcError(-32020, 'header'))
    const annotated = {
      ...echoTool,
      inputSchema: {
        ...echoTool.inputSchema,
        properties: { text: { type: 'string', 'x-mcp-header': 'Text' } },
      },
    }
    const { caller, of } = scripted({
      'tools/list': [tools(echoTool), tools(annotated)],
      'tools/call': [mismatch, says('ok')],
    })
    await caller.callTool(call)
    expect(of('tools/list')).toHaveLength(2)
    expect(of('tools/call').map(({ headers }) => headers['mcp-param-text'])).toEqual([undefined, 'a'])
    const stubborn = scripted({ 'tools/list': tools(echoTool), 'tools/call': mismatch })
    expect(await failure(stubborn.caller.callTool(call))).toMatchObject({ rpc: -32020 })
    expect(stubborn.of('tools/call')).toHaveLength(2)
  })

  test.each([-32020, -32022])(
    'G-102: %i on HTTP 200 may come from a tool that ran, so nothing is sent again',
    async (code) => {
      const passedOn = throws(new RpcError(code, 'upstream', { supported: ['2026-07-28'] }, 200))
      const { caller, of } = scripted({
        'tools/list': tools(echoTool),
        'tools/call': [passedOn, says('ok')],
      })
      expect(await failure(caller.callTool(call))).toMatchObject({ rpc: code })
      expect(of('tools/call')).toHaveLength(1)
    },
  )

  test('a list that is refused as invalid says nothing of the arguments of the call', async () => {
    const refused = throws(new RpcError(-32602, 'bad cursor'))
    const { caller, of } = scripted({ 'tools/list': refused, 'tools/call': says('ok') })
    expect(await failure(caller.callTool(call))).toMatchObject({ kind: 'internal', cause: { rpc: -32602 } })
    expect(of('tools/call')).toHaveLength(0)
  })

  test('a typed call never lists first, and learns headers from -32020', async () => {
    const annotated = {
      ...echoTool,
      inputSchema: { type: 'object', properties: { text: { type: 'string', 'x-mcp-header': 'Text' } } },
    }
    const { caller, of } = scripted({
      'tools/list': tools(annotated),
      'tools/call': [throws(new RpcError(-32020, 'header')), says('ok')],
    })
    const known = { parameters: [] }
    await caller.callTool(call, { known })
    await caller.callTool(call, { known })
    expect(of('tools/list')).toHaveLength(1)
    expect(of('tools/call').map(({ headers }) => headers['mcp-param-text'])).toEqual([undefined, 'a', 'a'])
  })
})

describe('what is believed', () => {
  test('WIRE-10: no resultType is complete; B072: an older result may lack content', async () => {
    const old = await answering({ content: [] }).caller.callTool(call)
    expect(old).toEqual({ status: 'complete', content: [], isError: false })
    const structured = await answering({ structuredContent: { a: 1 } }).caller.callTool(call)
    expect(structured).toEqual({
      status: 'complete',
      content: [],
      structuredContent: { a: 1 },
      isError: false,
    })
  })

  test.each([null, 0, false, '', []])(
    'TRAP-10, B068: structuredContent %j is there',
    async (structuredContent) => {
      const { caller } = answering({ resultType: 'complete', content: [], structuredContent })
      expect(await caller.callTool(call)).toHaveProperty('structuredContent', structuredContent)
    },
  )

  test('G-172: text that is JSON stays text', async () => {
    const { caller } = answering({ resultType: 'complete', content: [{ type: 'text', text: '{"a":1}' }] })
    expect(await caller.callTool(call)).not.toHaveProperty('structuredContent')
  })

  test.each([
    ['WIRE-11: an unknown resultType', { resultType: 'maybe', content: [] }],
    ['WIRE-11: a resultType that is no text', { resultType: null, content: [] }],
    ['G-147: a task nobody asked for', { resultType: 'task', taskId: 't' }],
    ['no content', { resultType: 'complete' }],
    ['B072: no content beside a resultType', { resultType: 'complete', structuredContent: {} }],
    ['a result of another family', { tools: [] }],
    ['isError that is no boolean', { content: [], isError: 'yes' }],
    ['content that is no list', { content: {} }],
    ['a block that is null', { content: [null] }],
    ['a block of unknown type', { content: [{ type: 'video', data: '' }] }],
    ['a block named like a member of every object', { content: [{ type: 'constructor' }] }],
    ['TRAP-30: a link without name', { content: [{ type: 'resource_link', uri: 'a:b' }] }],
    ['an image without data', { content: [{ type: 'image', mimeType: 'image/png' }] }],
    ['a resource without contents', { content: [{ type: 'resource', resource: { uri: 'a:b' } }] }],
    ['_meta that is no object', { content: [], _meta: 1 }],
    ['MR-1: questions without any', { resultType: 'input_required' }],
  ])('%s leaves the outcome unknown, with a malformed answer as cause', async (_what, result) => {
    const error = await failure(answering(result).caller.callTool(call))
    expect(error).toMatchObject({ kind: 'unknown', cause: { kind: 'malformed' } })
  })

  const output = { ...echoTool, outputSchema: { type: 'object', required: ['n'] } }

  test('G-67: a finished result that breaks its output schema is malformed', async () => {
    const wrong = { resultType: 'complete', content: [], structuredContent: {} }
    expect(await failure(answering(wrong, output).caller.callTool(call))).toMatchObject({ kind: 'malformed' })
  })

  test('B067: missing structured content is malformed on success and passes on an error', async () => {
    const none = { resultType: 'complete', content: [] }
    expect(await failure(answering(none, output).caller.callTool(call))).toMatchObject({ kind: 'malformed' })
    const failed = { resultType: 'complete', content: [], isError: true, structuredContent: 5 }
    expect(await answering(failed, output).caller.callTool(call)).toMatchObject({
      isError: true,
      structuredContent: 5,
    })
  })

  test('G-67: bad arguments are refused here, with issues, and nothing is sent', async () => {
    const { caller, of } = scripted({ 'tools/list': tools(echoTool) })
    const error = await failure(caller.callTool({ tool: 'echo', arguments: { text: 5 } }))
    expect(error).toBeInstanceOf(RpcError)
    expect(error).toMatchObject({
      name: 'InvalidArgumentsError',
      rpc: -32602,
      issues: [{ path: '/text', constraint: 'type' }],
      data: { issues: [{ path: '/text' }] },
    })
    expect(of('tools/call')).toEqual([])
  })

  test('a tool that is not listed is still called: the server decides', async () => {
    const { caller } = scripted({ 'tools/list': tools(), 'tools/call': says('hidden') })
    expect(await caller.callTool({ tool: 'hidden' })).toMatchObject({ content: [{ text: 'hidden' }] })
  })

  test('G-100: a list that is lost leaves nothing unknown about the call', async () => {
    const { caller } = scripted({ 'tools/list': throws(new OutcomeUnknownError(new Error('reset'))) })
    expect(await failure(caller.callTool(call))).toMatchObject({ kind: 'internal' })
  })

  test('an argument no header can carry is a local failure', async () => {
    const inputSchema = { type: 'object', properties: { n: { type: 'integer', 'x-mcp-header': 'N' } } }
    const { caller, of } = scripted({ 'tools/list': tools({ name: 'echo', inputSchema }) })
    const error = await failure(caller.callTool({ tool: 'echo', arguments: { n: 2 ** 60 } }))
    expect(error).toMatchObject({ kind: 'internal' })
    expect(of('tools/call')).toEqual([])
  })
})

describe('progress', () => {
  const listed = { 'tools/list': tools(echoTool) }
  const steps = (...params: object[]) =>
    notifying(
      (request) =>
        params.map((one) => ({
          method: 'notifications/progress',
          params: { progressToken: metaOf(request)['progressToken'], ...one },
        })),
      says('ok'),
    )

  test('G-76: is delivered in order, and awaited', async () => {
    const seen: unknown[] = []
    const { caller } = scripted({
      ...listed,
      'tools/call': steps({ progress: -1 }, { progress: 0.5, total: 2 }, { progress: 3, message: 'm' }),
    })
    await caller.callTool(call, {
      onProgress: async (update) => {
        await Promise.resolve()
        seen.push(update)
      },
    })
    expect(seen).toEqual([{ progress: -1 }, { progress: 0.5, total: 2 }, { progress: 3, message: 'm' }])
  })

  test.each([
    ['the same value twice', [{ progress: 1 }, { progress: 1 }]],
    ['a smaller value', [{ progress: 2 }, { progress: 1 }]],
    ['an unknown token', [{ progress: 1, progressToken: 'other' }]],
    ['no number', [{ progress: '1' }]],
    ['a total that is no number', [{ progress: 1, total: null }]],
  ])('G-76: %s is malformed', async (_what, params) => {
    const { caller } = scripted({ ...listed, 'tools/call': steps(...params) })
    const error = await failure(caller.callTool(call, { onProgress: () => undefined }))
    expect(error).toMatchObject({ kind: 'unknown', cause: { kind: 'malformed' } })
  })

  test('G-76: progress nobody asked for is malformed; other notifications are passed over', async () => {
    const { caller } = scripted({ ...listed, 'tools/call': steps({ progress: 1 }) })
    expect(await failure(caller.callTool(call))).toMatchObject({ kind: 'unknown' })
    const log = notifying(() => [{ method: 'notifications/message', params: {} }], says('ok'))
    await scripted({ ...listed, 'tools/call': log }).caller.callTool(call)
  })

  test('G-78: what a callback throws stops the call and is the cause', async () => {
    const { caller } = scripted({ ...listed, 'tools/call': steps({ progress: 1 }) })
    const mine = new Error('mine')
    const onProgress = () => Promise.reject(mine)
    expect(await failure(caller.callTool(call, { onProgress }))).toMatchObject({
      kind: 'unknown',
      cause: mine,
    })
  })
})
