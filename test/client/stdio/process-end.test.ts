import { setTimeout as sleep } from 'node:timers/promises'
import { mkdtempSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { stdioChannel } from '../../../src/client/stdio/stdio-channel.js'
import { closeAll, fixture, gone, lives, opened, progressing, rejection, scripted, send } from './scripted.js'

afterEach(closeAll)

const lost = (message: string) => ({
  name: 'OutcomeUnknownError',
  cause: { name: 'ConnectionLostError', code: 'ERR_CONNECTION_LOST', message },
})

describe('a process that ends by itself', () => {
  test.each([
    ['exits', 'die', { code: 3 }, 'exit code 3'],
    ['exits without an error', 'die', { code: 0 }, 'exit code 0'],
    ['dies in the middle of a line', 'die', { text: '{"jsonrpc":"2.0","id":"dying","resu' }, 'exit code 3'],
    [
      'dies before the end of a complete line',
      'die',
      { text: '{"jsonrpc":"2.0","id":"dying","result":{}}' },
      'exit code 3',
    ],
    ['is killed', 'crash', {}, 'SIGKILL'],
  ])('%s: what is under way is unknown, later requests are not sent', async (_name, method, params, how) => {
    const channel = scripted()
    const bystander = rejection(send(channel, 'hold'))
    const dying = rejection(send(channel, method, params, { id: 'dying' }))
    const expected = lost(`The server process ended (${how})`)
    expect(await dying).toMatchObject(expected)
    expect(await bystander).toMatchObject(expected)
    expect(await rejection(send(channel, 'echo'))).toMatchObject({ name: 'ConnectionLostError' })
    await channel.close()
  })

  test('answers it wrote before it died count', async () => {
    const channel = scripted()
    const text = '{"jsonrpc":"2.0","id":"answered","result":{"last":"words"}}\n'
    const answered = send(channel, 'hold', {}, { id: 'answered' })
    const dying = rejection(send(channel, 'die', { text }))
    expect(await answered).toEqual({ last: 'words' })
    expect(await dying).toMatchObject({ name: 'OutcomeUnknownError' })
  })

  test('its last notifications are taken before the loss is told', async () => {
    const channel = scripted()
    const { told, onNotification } = progressing('unused')
    const params = { notifications: {}, uris: ['a:1', 'a:2'] }
    const listening = rejection(send(channel, 'subscriptions/listen', params, { onNotification }))
    void rejection(send(channel, 'die'))
    expect(await listening).toMatchObject(lost('The server process ended (exit code 3)'))
    expect(told).toHaveLength(3)
  })

  test('B125 a server that closes its input: nothing is thrown elsewhere, everything rejects, it is ended', async () => {
    const channel = scripted()
    const holding = rejection(send(channel, 'hold'))
    const { pid } = await send(channel, 'process')
    await send(channel, 'closeInput')
    const echoes: ReturnType<typeof rejection>[] = []
    const noticed = new AbortController()
    void holding.then(() => noticed.abort())
    // What is written before the server has closed its end is only noticed by a later write.
    while (!noticed.signal.aborted) {
      echoes.push(rejection(send(channel, 'echo')))
      await sleep(20)
    }
    for (const error of [...(await Promise.all(echoes)), await holding]) {
      expect(['OutcomeUnknownError', 'ConnectionLostError']).toContain(error.name)
    }
    expect(lives(pid)).toBe(false)
  })

  test('a server that closes its output is ended, and everything rejects', async () => {
    const channel = scripted()
    const { pid } = await send(channel, 'process')
    const failed = await Promise.all([
      rejection(send(channel, 'hold')),
      rejection(send(channel, 'closeOutput')),
    ])
    for (const error of failed) expect(error).toMatchObject({ name: 'OutcomeUnknownError' })
    expect(lives(pid)).toBe(false)
  })
})

describe('G-70 ST-5 close', () => {
  test('ends the input; the server ends in its own way and is reaped', async () => {
    const note = join(mkdtempSync(join(tmpdir(), 'castellan-')), 'note')
    const channel = scripted({}, `--note=${note}`)
    const { pid } = await send(channel, 'process')
    await channel.close()
    expect(readFileSync(note, 'utf8')).toBe('end of input\n')
    expect(lives(pid)).toBe(false)
  })

  test('is idempotent, at once and later; what is under way is lost, later requests are refused', async () => {
    const channel = scripted()
    const holding = rejection(send(channel, 'hold'))
    await send(channel, 'echo')
    await Promise.all([channel.close(), channel.close()])
    await channel.close()
    expect(await holding).toMatchObject(lost('The channel was closed'))
    expect(await rejection(send(channel, 'echo'))).toMatchObject({ name: 'InternalClientError' })
    // Later than the end of the output was noticed.
    await sleep(50)
    expect(await rejection(send(channel, 'echo'))).toMatchObject({ name: 'InternalClientError' })
  })

  test('B127 a server that ignores the end of input and SIGTERM is killed', async () => {
    const channel = scripted({}, '--stubborn')
    const { pid } = await send(channel, 'process')
    await channel.close()
    expect(lives(pid)).toBe(false)
  })

  test('G-70 the signal shortens the waiting, also of a closing under way', async () => {
    const channel = scripted({}, '--stubborn')
    const { pid } = await send(channel, 'process')
    const patient = channel.close()
    await channel.close({ signal: AbortSignal.abort() })
    expect(lives(pid)).toBe(false)
    await patient
  })

  test('B127 a wrapper and the server it started end together', async () => {
    const command = `"${process.execPath}" "${fixture('scripted-server.mjs')}" --stubborn; true`
    const channel = opened(stdioChannel({ command: 'sh', args: ['-c', command] }))
    const { pid } = await send(channel, 'process')
    await channel.close({ signal: AbortSignal.abort() })
    await gone(pid)
  })

  test('B127 what a crashed wrapper leaves behind is ended', async () => {
    const command = `"${process.execPath}" "${fixture('scripted-server.mjs')}" --stubborn; true`
    const channel = opened(stdioChannel({ command: 'sh', args: ['-c', command] }))
    const { pid, parent } = await send(channel, 'process')
    const holding = rejection(send(channel, 'hold'))
    await send(channel, 'echo')
    process.kill(parent, 'SIGKILL')
    expect(await holding).toMatchObject(lost('The server process ended (SIGKILL)'))
    await gone(pid)
  })

  test('a server that does not read does not hold up the closing', async () => {
    const channel = scripted()
    await send(channel, 'stall')
    const filling = Array.from({ length: 40 }, () =>
      rejection(send(channel, 'echo', { text: 'x'.repeat(100_000) })),
    )
    await new Promise((resolve) => setImmediate(resolve))
    await channel.close({ signal: AbortSignal.abort() })
    for (const error of await Promise.all(filling)) {
      expect(['OutcomeUnknownError', 'InternalClientError']).toContain(error.name)
    }
  })
})
