import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Secrets } from './secrets.js'

/** Takes what no log may show out of whatever passes between clients and the HTTP servers of this process. */
export interface Wire {
  /** Adds every secret that has passed so far. */
  tell(secrets: Secrets): void
  stop(): void
}

interface Passed {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly asked: Buffer[]
  readonly answered: Buffer[]
}

/** Members of forms, queries and documents. */
const secretMembers = new Set([
  'access_token',
  'assertion',
  'actor_token',
  'client_assertion',
  'client_secret',
  'code',
  'code_verifier',
  'id_token',
  'refresh_token',
  'requestState',
  'sig',
  'state',
  'subject_token',
  'token',
])

export function recordedWire(): Wire {
  const all: Passed[] = []
  const start = (message: unknown) => void all.push(recorded(message as Pick<Passed, 'request' | 'response'>))
  subscribe('http.server.request.start', start)
  return {
    tell(secrets) {
      for (const passed of all) for (const [name, value] of secretsIn(passed)) secrets.add(name, value)
    },
    stop: () => void unsubscribe('http.server.request.start', start),
  }
}

/** Bodies are looked at on their way, so that nobody reads them earlier or later than without. */
function recorded({ request, response }: Pick<Passed, 'request' | 'response'>): Passed {
  const passed = { request, response, asked: [] as Buffer[], answered: [] as Buffer[] }
  const keep = (where: Buffer[], chunk: unknown) => {
    if (typeof chunk === 'string' || chunk instanceof Uint8Array) where.push(Buffer.from(chunk))
  }
  const push = request.push.bind(request)
  request.push = (chunk: unknown, encoding) => {
    keep(passed.asked, chunk)
    return push(chunk, encoding)
  }
  for (const method of ['write', 'end'] as const) {
    const own = response[method].bind(response) as (...args: readonly unknown[]) => never
    response[method] = (...args: readonly unknown[]) => {
      keep(passed.answered, args[0])
      return own(...args)
    }
  }
  return passed
}

type Found = readonly [name: string, value: unknown]

function secretsIn({ request, response, asked, answered }: Passed): readonly Found[] {
  const { authorization, dpop } = request.headers
  const location = /^location: *(.+)$/im.exec((response as { _header?: string })._header ?? '')?.[1]
  return [
    ...credentials(authorization),
    ['dpop proof', dpop],
    ...parametersIn(queryOf(request.url)),
    ...parametersIn(queryOf(location)),
    ...secretsOf(Buffer.concat(asked).toString(), request.headers['content-type']),
    ...secretsOf(Buffer.concat(answered).toString(), 'application/json'),
  ]
}

function credentials(authorization = ''): readonly Found[] {
  const [scheme = '', shown = ''] = authorization.split(' ')
  if (scheme.toLowerCase() !== 'basic') return [['access_token', shown]]
  const [, secret = ''] = Buffer.from(shown, 'base64').toString().split(':')
  const given = new URLSearchParams(`value=${secret}`).get('value')
  return [
    ['basic credentials', shown],
    ['client_secret', secret],
    ['client_secret', given],
  ]
}

function queryOf(url = ''): string {
  return url.split('?')[1] ?? ''
}

function secretsOf(body: string, contentType = ''): readonly Found[] {
  if (contentType.includes('urlencoded')) return parametersIn(body)
  try {
    return membersIn(JSON.parse(body))
  } catch {
    return []
  }
}

function parametersIn(form: string): readonly Found[] {
  return [...new URLSearchParams(form)].filter(([name]) => secretMembers.has(name))
}

/** Members at any depth that hold a secret by their name. */
export function membersIn(document: unknown, names: ReadonlySet<string> = secretMembers): readonly Found[] {
  if (typeof document !== 'object' || document === null) return []
  return Object.entries(document).flatMap(([name, value]: [string, unknown]) =>
    names.has(name) ? [[name, value] as const] : membersIn(value, names),
  )
}
