import { afterEach, expect, test } from 'vitest'
import type { ChannelNotification } from '../../../src/client/channel.js'
import { stdioChannel } from '../../../src/client/stdio/stdio-channel.js'
import { meta } from '../../wire.js'
import { closeAll, fixture, opened, progressing, rejection, send } from './scripted.js'

afterEach(closeAll)

const official = (onStderr: (chunk: string) => void = () => undefined) =>
  opened(stdioChannel({ command: process.execPath, args: [fixture('sdk-server.mjs')], onStderr }))

const enveloped = (params: Record<string, unknown> = {}, extra: Record<string, unknown> = {}) => ({
  ...params,
  _meta: meta({ 'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' }, ...extra }),
})

test('G-69 discovers, lists, calls and reads, all at once on one process', async () => {
  const channel = official()
  const [discovered, tools, echoed, read] = await Promise.all([
    send(channel, 'server/discover', enveloped()),
    send(channel, 'tools/list', enveloped()),
    send(channel, 'tools/call', enveloped({ name: 'echo', arguments: { text: 'Grüße 🏰' } })),
    send(channel, 'resources/read', enveloped({ uri: 'notes://readme' })),
  ])
  expect(discovered.supportedVersions).toContain('2026-07-28')
  expect(tools.tools.map(({ name }: { name: string }) => name)).toContain('echo')
  expect(echoed.content).toEqual([{ type: 'text', text: 'Grüße 🏰' }])
  expect(read.contents).toEqual([{ uri: 'notes://readme', text: 'Grüße 🏰' }])
})

test('an unknown method is RpcError', async () => {
  expect(await rejection(send(official(), 'no/such', enveloped()))).toMatchObject({
    name: 'RpcError',
    rpc: -32601,
  })
})

test('progress belongs to the call that asked for it', async () => {
  const channel = official()
  const [one, two] = [progressing('one'), progressing('two')]
  const steps = (count: number, token: string, { onNotification }: typeof one) =>
    send(
      channel,
      'tools/call',
      enveloped({ name: 'steps', arguments: { count } }, { progressToken: token }),
      { onNotification },
    )
  await Promise.all([steps(3, 'one', one), steps(2, 'two', two)])
  expect([one.values(), two.values()]).toEqual([
    [1, 2, 3],
    [1, 2],
  ])
})

test('G-69 an abort tells the server, whose handler stops', async () => {
  let cancelled: () => void = () => undefined
  const stopped = new Promise<void>((resolve) => (cancelled = resolve))
  const channel = official((chunk) => {
    if (chunk.includes('cancelled')) cancelled()
  })
  const controller = new AbortController()
  const failed = rejection(
    send(channel, 'tools/call', enveloped({ name: 'waiting' }, { progressToken: 'w' }), {
      signal: controller.signal,
      onNotification: () => controller.abort(),
    }),
  )
  expect(await failed).toMatchObject({ name: 'OutcomeUnknownError', cause: { name: 'AbortError' } })
  await stopped
  expect(
    await send(channel, 'tools/call', enveloped({ name: 'echo', arguments: { text: 'a' } })),
  ).toMatchObject({
    content: [{ text: 'a' }],
  })
})

test('SUB-3 a subscription is acknowledged, told of changes and ended by this side', async () => {
  const channel = official()
  const seen: ChannelNotification[] = []
  const controller = new AbortController()
  const listening = rejection(
    send(channel, 'subscriptions/listen', enveloped({ notifications: { toolsListChanged: true } }), {
      id: 'sub',
      signal: controller.signal,
      onNotification: async (notification) => {
        seen.push(notification)
        if (seen.length === 1) await send(channel, 'tools/call', enveloped({ name: 'change' }))
        else controller.abort()
      },
    }),
  )
  expect(await listening).toMatchObject({ name: 'OutcomeUnknownError', cause: { name: 'AbortError' } })
  expect(seen.map(({ method }) => method)).toEqual([
    'notifications/subscriptions/acknowledged',
    'notifications/tools/list_changed',
  ])
})

test('ST-5 the end of input ends the server', async () => {
  const channel = official()
  await send(channel, 'tools/list', enveloped())
  await channel.close()
})
