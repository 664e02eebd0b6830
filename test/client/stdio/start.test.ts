import { inspect } from 'node:util'
import { tmpdir } from 'node:os'
import { realpathSync } from 'node:fs'
import { afterEach, describe, expect, test } from 'vitest'
import { stdioChannel } from '../../../src/client/stdio/stdio-channel.js'
import { closeAll, fixture, opened, rejection, scripted, send } from './scripted.js'

afterEach(closeAll)

describe('G-68 the start of a process', () => {
  test('arguments reach it as they are, through no shell', async () => {
    const { argv } = await send(scripted({}, 'two words', '$HOME', '`id`', '"; exit 1'), 'process')
    expect(argv.slice(2)).toEqual(['two words', '$HOME', '`id`', '"; exit 1'])
  })

  test('env is added to the environment of this process; undefined takes away', async () => {
    process.env['CASTELLAN_KEPT'] = 'kept'
    process.env['CASTELLAN_SECRET'] = 'secret'
    const channel = scripted({ env: { CASTELLAN_OWN: 'own', CASTELLAN_SECRET: undefined } })
    const { env } = await send(channel, 'process')
    delete process.env['CASTELLAN_KEPT']
    delete process.env['CASTELLAN_SECRET']
    expect(env).toMatchObject({ CASTELLAN_KEPT: 'kept', CASTELLAN_OWN: 'own', PATH: process.env['PATH'] })
    expect(env).not.toHaveProperty('CASTELLAN_SECRET')
  })

  test('cwd is where it runs', async () => {
    const cwd = realpathSync(tmpdir())
    expect(await send(scripted({ cwd }), 'process')).toMatchObject({ cwd })
  })

  test('started resolves when it runs, and the signal means nothing from then on', async () => {
    const controller = new AbortController()
    const channel = scripted({ signal: controller.signal })
    await channel.started()
    controller.abort()
    expect(await send(channel, 'echo')).toEqual({ params: {} })
  })

  test('G-68 a signal that has aborted starts nothing', async () => {
    const reason = new Error('too late')
    const channel = scripted({ signal: AbortSignal.abort(reason) })
    expect(await rejection(channel.started())).toBe(reason)
    expect(await rejection(send(channel, 'echo'))).toBe(reason)
    await channel.close()
  })

  test('an abort while it starts ends it', async () => {
    const controller = new AbortController()
    const reason = new Error('too slow')
    const channel = scripted({ signal: controller.signal })
    controller.abort(reason)
    expect(await rejection(send(channel, 'echo'))).toBe(reason)
    expect(await rejection(channel.started())).toBe(reason)
    await channel.close()
  })
})

describe('a program that cannot be started', () => {
  test.each([
    ['is not there', { command: '/no/such/program' }, 'ENOENT'],
    ['is not in PATH', { command: 'no-such-program-at-all' }, 'ENOENT'],
    ['is no program', { command: fixture('scripted-server.mjs') }, 'EACCES'],
    ['would run nowhere', { command: process.execPath, cwd: '/no/such/folder' }, 'ENOENT'],
  ])('%s: every request says so, nothing is thrown elsewhere', async (_name, options, code) => {
    const channel = opened(stdioChannel({ ...options, args: ['--token=secret'], onStderr: () => undefined }))
    for (const failed of [channel.started(), send(channel, 'echo'), send(channel, 'echo')]) {
      const error = await rejection(failed)
      expect(error).toMatchObject({ name: 'InternalClientError', code: 'ERR_CLIENT', cause: { code } })
      expect(error.message).toBe(`The server process could not be started (${code}): ${options.command}`)
      expect(inspect(error, { depth: 9 })).not.toContain('token=secret')
    }
    await channel.close()
    await channel.close()
  })

  test('also when spawn itself throws', async () => {
    const channel = opened(stdioChannel({ command: process.execPath, args: ['a\0b'] }))
    expect(await rejection(send(channel, 'echo'))).toMatchObject({ name: 'InternalClientError' })
  })

  test.each([
    { command: '' },
    { command: undefined as never },
    { command: 'node', maxLineBytes: 0 },
    { command: 'node', maxLineBytes: 1.5 },
  ])('wrong options throw at once: %o', (options) => {
    expect(() => stdioChannel(options)).toThrow(expect.objectContaining({ code: 'ERR_OPTION' }))
  })
})

test('G-100 parameters JSON cannot hold are refused before anything is sent', async () => {
  const channel = scripted()
  const cycle: Record<string, unknown> = {}
  cycle['self'] = cycle
  expect(await rejection(send(channel, 'echo', cycle))).toMatchObject({ name: 'InternalClientError' })
  expect(await rejection(send(channel, 'echo', { big: 1n }))).toMatchObject({ name: 'InternalClientError' })
  expect((await send(channel, 'seen')).seen).toHaveLength(1)
})
