import { once } from 'node:events'
import { request, type IncomingMessage } from 'node:http'
import { mkdtemp, rm } from 'node:fs/promises'
import { randomBytes } from 'node:crypto'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileAuthorizationStore } from 'castellan/store'
import type { ConsentQuestion, LocalConsentOptions } from 'castellan/transports'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { ask, localProgram, write, type LocalProgram } from './local-program.js'

let program: LocalProgram
beforeEach(async () => {
  program = await localProgram()
})
afterEach(() => program.stop())

describe('a program on the machine of its user', () => {
  test('B95 D5 opens one browser for a hundred calls, and all of them go on', async () => {
    const made = program.transport()
    const answers = await Promise.all(Array.from({ length: 100 }, () => ask(made)))
    expect(new Set(answers.map((answer) => JSON.stringify(answer)))).toEqual(
      new Set(['{"subject":"alice","scopes":["mcp"]}']),
    )
    expect(program.opened).toHaveLength(1)
    expect(program.server.as.requests).toMatchObject({ authorization: 1, token: 1 })
  })

  test('F22 D14 a login in a file lasts beyond the process', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'castellan-'))
    const keys = [{ id: 'k', key: randomBytes(32) }]
    const start = () => program.transport({ store: fileAuthorizationStore({ directory, keys }) })
    await ask(start())
    expect(await ask(start())).toMatchObject({ subject: 'alice' })
    expect(program.opened).toHaveLength(1)
    await rm(directory, { recursive: true })
  })

  test('B73 H5 asks for more in a browser and makes the same call again', async () => {
    const made = program.transport()
    await ask(made)
    await write(made)
    expect(program.opened.map((url) => url.searchParams.get('scope'))).toEqual([
      'mcp',
      'mcp notes:read notes:write',
    ])
  })

  test('B122 G55 F28 a scope that is not granted opens one browser, however often it is asked for', async () => {
    const made = program.transport({ openBrowser: program.browse({ scopes: ['mcp'] }) })
    for (let times = 0; times < 3; times += 1) {
      await expect(write(made)).rejects.toMatchObject({
        code: 'ERR_INSUFFICIENT_SCOPE',
      })
    }
    expect(program.opened).toHaveLength(2)
  })

  test.each([
    ['F40 localhost', 'http://localhost/cb', /^http:\/\/localhost:\d+\/cb$/],
    ['any port', undefined, /^http:\/\/127\.0\.0\.1:\d+\/callback$/],
    ['IPv6', 'http://[::1]/callback', /^http:\/\/\[::1\]:\d+\/callback$/],
  ])('B59 the redirect URI with %s is the same in both requests', async (_, redirectUri, pattern) => {
    await ask(program.transport(redirectUri === undefined ? {} : { redirectUri }))
    const uris = program.server.as.received.map(({ parameters }) => parameters['redirect_uri'])
    expect(uris[0]).toMatch(pattern)
    expect(uris).toEqual([uris[0], uris[0]])
  })

  test('B121 a call stops waiting with its own signal, and the others go on', async () => {
    const stop = new AbortController()
    let answer: (() => Promise<void>) | undefined
    const wait = new Promise<void>((resolve) => {
      answer = async () => resolve()
    })
    const made = program.transport({
      openBrowser: async (url) => {
        stop.abort(new Error('enough'))
        await wait
        await program.browse()(url)
      },
    })
    const stopped = ask(made, stop.signal)
    const other = ask(made)
    await expect(stopped).rejects.toThrow('enough')
    await answer!()
    expect(await other).toMatchObject({ subject: 'alice' })
    expect(program.opened).toHaveLength(1)
  })

  test('B120 signs out, and signs in again with the next call', async () => {
    const made = program.transport()
    await ask(made)
    await made.forget()
    expect(program.server.as.requests.revocation).toBe(2)
    await ask(made)
    expect(program.opened).toHaveLength(2)
  })
})

describe('before the browser opens', () => {
  test('B77 the user is told who asks for what, where', async () => {
    const questions: ConsentQuestion[] = []
    await ask(program.transport({ confirm: (question) => questions.push(question) > 0 }))
    expect(questions).toEqual([
      {
        issuer: program.server.as.issuer,
        resource: program.server.endpoint,
        scopes: ['mcp'],
        redirectHost: expect.stringMatching(/^127\.0\.0\.1:\d+$/),
      },
    ])
  })

  test.each([false, undefined, 'yes'])('B77 anything but true (%s) refuses', async (answer) => {
    await expect(ask(program.transport({ confirm: () => answer as boolean }))).rejects.toMatchObject({
      reason: 'denied',
    })
    expect(program.opened).toEqual([])
  })

  test.each([
    'javascript:alert(1)',
    'file:///etc/passwd',
    'ms-settings:x',
    'https://a@example.com/authorize',
    'https://example.com/$(calc)',
    'https://example.com/`calc`',
    'https://example.com/authorize?client_id=evil',
    'http://example.com/authorize',
  ])('B76 F38 G46 %s is never program.opened', async (authorization_endpoint) => {
    await program.stop()
    program = await localProgram({ metadata: { authorization_endpoint } })
    await expect(ask(program.transport())).rejects.toMatchObject({ code: 'ERR_DISCOVERY' })
    expect(program.opened).toEqual([])
  })

  test('an opener that fails ends the call without its words', async () => {
    const openBrowser = () => Promise.reject(new Error('canary'))
    const failed = ask(program.transport({ openBrowser }))
    await expect(failed).rejects.toMatchObject({ code: 'ERR_CONSENT', reason: 'failed' })
    await expect(failed).rejects.not.toThrow('canary')
  })
})

test('B76 an opener that ends no sooner than the browser does not hold the call back', async () => {
  const openBrowser = async (url: URL) => {
    await program.browse()(url)
    await new Promise(() => undefined)
  }
  expect(await ask(program.transport({ openBrowser }))).toMatchObject({ subject: 'alice' })
})

test('B121 a question nobody answers keeps a transport from neither stopping nor closing', async () => {
  const stop = new AbortController()
  const confirm = () => {
    stop.abort(new Error('enough'))
    return new Promise<boolean>(() => undefined)
  }
  const made = program.transport({ confirm })
  await expect(ask(made, stop.signal)).rejects.toThrow('enough')
  await made.close()
})

interface Visit {
  readonly method?: string
  readonly path?: string
  readonly host?: string
}

describe('the listener', () => {
  /** What a visit to the listener is answered with, before the user answers. */
  async function visit(change: (callback: URL) => Visit) {
    let seen: { status: number; headers: Record<string, unknown>; body: string } | undefined
    const openBrowser = async (url: URL) => {
      const callback = new URL(await program.server.as.consent(url))
      const { method = 'GET', path = callback.pathname + callback.search, host } = change(callback)
      const headers = { host: host ?? callback.host }
      const sent = request({ host: callback.hostname, port: callback.port, method, path, headers })
      const [answer] = (await once(sent.end(), 'response')) as [IncomingMessage]
      let body = ''
      for await (const chunk of answer) body += String(chunk)
      seen = { status: answer.statusCode!, headers: answer.headers, body }
      if (seen.status !== 200) await fetch(callback)
    }
    await ask(program.transport({ openBrowser }))
    return seen!
  }

  test.each<[string, number, (callback: URL) => Visit]>([
    ['a POST', 405, () => ({ method: 'POST' })],
    ['a HEAD', 405, () => ({ method: 'HEAD' })],
    ['another name (DNS rebinding)', 421, () => ({ host: 'evil.example.com' })],
    ['another port in its name', 421, () => ({ host: '127.0.0.1:1' })],
    ['a favicon', 404, () => ({ path: '/favicon.ico' })],
    ['a longer path', 404, ({ search }) => ({ path: `/callback/${search}` })],
    ['a foreign state', 400, () => ({ path: '/callback?code=evil&state=evil' })],
    ['no state', 400, () => ({ path: '/callback?code=evil' })],
    ['two states', 400, ({ search }) => ({ path: `/callback${search}&state=evil` })],
    ['the root', 404, () => ({ path: '/' })],
  ])('B95 G63 answers %s with %d, and still takes the answer of the user', async (_, status, change) => {
    expect((await visit(change)).status).toBe(status)
    expect(program.server.as.requests.token).toBe(1)
  })

  test('B95 G49 the page says nothing of what came, and may load nothing', async () => {
    const { body, headers } = await visit((callback) => ({
      path: `${callback.pathname}${callback.search}&error_description=canary`,
    }))
    expect(body).not.toContain('canary')
    expect(headers).toMatchObject({
      'content-security-policy': "default-src 'none'",
      'referrer-policy': 'no-referrer',
      'cache-control': 'no-store',
    })
  })

  test('B95 is gone when the call is, whatever it came to', async () => {
    let uri = ''
    const openBrowser = async (url: URL) => {
      uri = url.searchParams.get('redirect_uri')!
      await fetch(await program.server.as.consent(url, { error: 'access_denied' }))
    }
    await ask(program.transport({ openBrowser })).catch(() => undefined)
    await expect(fetch(uri)).rejects.toThrow('fetch failed')
  })
})

test.each<[string, Partial<LocalConsentOptions>]>([
  ['redirectUri', { redirectUri: 'https://app.example.com/callback' }],
  ['redirectUri', { redirectUri: 'http://127.0.0.1/callback?state=x' }],
  ['redirectUri', { redirectUri: 'http://192.168.0.1/callback' }],
  ['openBrowser', { openBrowser: 'xdg-open' as never }],
  ['confirm', { confirm: true as never }],
  ['registration', { registration: [] }],
  ['endpoint', { allowLoopbackHttp: false }],
])('B59 a wrong `%s` is told at construction: %j', (name, options) => {
  expect(() => program.transport(options)).toThrow(
    expect.objectContaining({ code: 'ERR_OPTION', message: expect.stringContaining(name) }),
  )
})
