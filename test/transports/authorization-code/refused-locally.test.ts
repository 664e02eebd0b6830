import type { ConsentAnswer } from 'castellan/testing'
import type { LocalConsentOptions } from 'castellan/transports'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { ask, localProgram, write, type LocalProgram } from './local-program.js'

let program: LocalProgram
beforeEach(async () => {
  program = await localProgram()
})
afterEach(async () => {
  vi.useRealTimers()
  await program.stop()
})

test.each<[string, () => LocalConsentOptions['openBrowser'], string]>([
  ['a refusal', () => program.browse({ error: 'access_denied' }), 'denied'],
  ['an error of the server', () => program.browse({ error: 'invalid_scope' }), 'failed'],
  [
    'an opener that fails',
    () => (url) => {
      program.opened.push(url)
      throw new Error('no browser')
    },
    'failed',
  ],
])('F49 %s ends the calls that wait, and opens no browser again for a minute', async (_, opener, reason) => {
  const made = program.transport({ openBrowser: opener() })
  const refused = { code: 'ERR_CONSENT', reason }
  await Promise.all(Array.from({ length: 5 }, () => expect(ask(made)).rejects.toMatchObject(refused)))
  await expect(ask(made)).rejects.toMatchObject(refused)
  await expect(write(made)).rejects.toMatchObject(refused)
  expect(program.opened).toHaveLength(1)
  expect(program.server.as.requests.token).toBe(0)
})

test('F49 asks again after a minute, after `forget`, and in another transport', async () => {
  vi.useFakeTimers({ toFake: ['performance'] })
  const made = program.transport({ openBrowser: program.browse({ error: 'access_denied' }) })
  const refused = () => expect(ask(made)).rejects.toMatchObject({ reason: 'denied' })
  await refused()
  vi.advanceTimersByTime(59_000)
  await refused()
  expect(program.opened).toHaveLength(1)
  vi.advanceTimersByTime(1_001)
  await refused()
  expect(program.opened).toHaveLength(2)
  await made.forget()
  await refused()
  expect(program.opened).toHaveLength(3)
  expect(await ask(program.transport())).toMatchObject({ subject: 'alice' })
  expect(await ask(made)).toMatchObject({ subject: 'alice' })
  expect(program.opened).toHaveLength(4)
})

test('F49 a refusal of more leaves the grant there is, and does not stand in the way of less', async () => {
  const answers: (ConsentAnswer | undefined)[] = [undefined, { error: 'access_denied' }]
  const made = program.transport({
    openBrowser: (url) => program.browse(answers[program.opened.length])(url),
  })
  await ask(made)
  for (let times = 0; times < 2; times += 1)
    await expect(write(made)).rejects.toMatchObject({ name: /Error$/ })
  expect(program.opened).toHaveLength(2)
  expect(await ask(made)).toMatchObject({ subject: 'alice' })
  program.server.refused.add('*')
  await expect(ask(made)).rejects.toMatchObject({ code: 'ERR_INVALID_TOKEN' })
  expect(program.opened).toHaveLength(2)
})

test('a call that was stopped is no refusal', async () => {
  const stop = new AbortController()
  const openBrowser = async (url: URL) => {
    program.opened.push(url)
    if (program.opened.length === 1) stop.abort(new Error('enough'))
    else await program.browse()(url)
  }
  const made = program.transport({ openBrowser })
  await expect(ask(made, stop.signal)).rejects.toThrow('enough')
  expect(await ask(made)).toMatchObject({ subject: 'alice' })
})
