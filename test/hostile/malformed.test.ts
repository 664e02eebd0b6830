import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { offer } from '../fastify/notes.js'
import { listenGuarded, type GuardedServer } from '../fastify/guarded.js'
import { listen, type RunningServer } from '../fastify/server.js'
import { exchange, type HostileAnswer } from './answer.js'
import { byteRows } from './bytes.js'
import { envelopeRows } from './envelope.js'
import { headerRows } from './headers.js'
import { jsonRows } from './json.js'
import { legacyRows } from './legacy.js'
import { olderParamRows, paramRows } from './params.js'
import { methodRows, targetRows } from './targets.js'
import {
  answered,
  bytesOf,
  legacyPost,
  modernPost,
  posted,
  withId,
  type Expected,
  type Row,
} from './request.js'

const table: Readonly<Record<string, readonly Row[]>> = {
  bytes: byteRows,
  JSON: jsonRows,
  envelope: envelopeRows,
  headers: headerRows,
  params: paramRows,
  'the older revision': [...legacyRows, ...olderParamRows],
  methods: methodRows,
  targets: targetRows,
}

let open: RunningServer
let guarded: GuardedServer
let token: string
beforeAll(async () => {
  open = await listen(offer)
  guarded = await listenGuarded(offer)
  token = (await guarded.bearer()).authorization
})
afterAll(async () => {
  await open.app.close()
  await guarded.stop()
})

const leak = /node_modules|\.[jt]s:\d|\bat [\w.<>]+ \(|secret-detail|eyJ/

function expectAnswer(answer: HostileAnswer | undefined, expected: Expected): void {
  expect(answer?.status).toBe(expected.status)
  const { text = '', headers } = answer ?? {}
  expect(text).not.toMatch(leak)
  expect(headers?.has('www-authenticate')).toBe(false)
  if (expected.body === 'http') return
  if (expected.body === 'empty') {
    expect(text).toBe('')
    expect(headers?.has('content-type')).toBe(false)
    return
  }
  expect(headers?.get('content-type')).toBe('application/json; charset=utf-8')
  const message = JSON.parse(text)
  expect(message.jsonrpc).toBe('2.0')
  if (expected.id === undefined) expect(message).not.toHaveProperty('id')
  else expect(text).toContain(`"id":${expected.id},`)
  if (typeof expected.body === 'number') expect(message.error?.code, text).toBe(expected.body)
  else expect(message.result?.isError ?? false, text).toBe(expected.body === 'isError')
}

async function run({ request, expected }: Row, port: number, more: readonly string[]): Promise<void> {
  const answers = await exchange(port, bytesOf(request, more), request.halfClose)
  expectAnswer(expected.interim === true ? answers[1] : answers[0], expected)
}

describe.each(Object.entries(table))('%s', (_part, rows) => {
  test.each(rows.filter(({ only }) => only !== 'guarded').map((row) => [row.name, row] as const))(
    '%s, at an open server',
    (_name, row) => run(row, open.port, []),
  )

  test.each(rows.filter(({ only }) => only !== 'open').map((row) => [row.name, row] as const))(
    '%s, at a guarded server',
    (_name, row) => run(row, guarded.port, [`Authorization: ${token}`]),
  )
})

describe('several requests on one connection', () => {
  const keptOpen = ['Host: localhost', 'Connection: keep-alive']
  const list = modernPost('tools/list')
  const call = legacyPost('tools/call', { name: 'echo', arguments: { text: 'a' } })

  test('B010 pipelined requests are answered each, in order, with their own ids', async () => {
    const pipelined = [
      { ...withId(list, '1'), connection: keptOpen },
      { ...withId(call, '2'), connection: keptOpen },
      { ...posted('{'), connection: keptOpen },
      { ...withId(list, '3'), target: '/mcp?x', connection: keptOpen },
      withId(call, '4'),
    ]
    const answers = await exchange(open.port, Buffer.concat(pipelined.map((one) => bytesOf(one))))
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 400, 200, 200])
    expect(answers.map(({ text }) => JSON.parse(text).id)).toEqual([1, 2, undefined, 3, 4])
  })

  test('A26 a request smuggled behind a short body needs a token of its own', async () => {
    const body = list.body as string
    const smuggled = bytesOf(withId(call, '66')).toString('latin1')
    const outer = bytesOf(
      { ...list, body: body + smuggled, framing: [`Content-Length: ${body.length}`], connection: keptOpen },
      [`Authorization: ${token}`],
    )
    const answers = await exchange(guarded.port, outer)
    expect(answers.map(({ status }) => status)).toEqual([200, 401])
  })

  test('B138 garbage after an answer ends the connection, nothing else', async () => {
    const bytes = Buffer.concat([bytesOf({ ...list, connection: keptOpen }), Buffer.from('garbage\r\n\r\n')])
    const answers = await exchange(open.port, bytes)
    expect(answers.at(-1)?.status).toBe(400)
  })
})

test('B138 after all that a good request is answered by both servers', async () => {
  expect(Object.values(table).flat().length).toBeGreaterThan(150)
  expect(({} as { polluted?: unknown }).polluted).toBeUndefined()
  for (const request of [modernPost('server/discover'), legacyPost('ping')]) {
    await run({ name: '', request, expected: answered() }, open.port, [])
    await run({ name: '', request, expected: answered() }, guarded.port, [`Authorization: ${token}`])
  }
})
