import type { TokenKind } from './credentials.js'
import type { Contender, LoadRow, StartRow } from './row.js'

const program = (file: string, ...args: readonly string[]): Contender => ({
  file: `servers/${file}.js`,
  args,
})

const call = (name: string, title: string, contender: Contender, against: readonly string[]): LoadRow => ({
  ...{ kind: 'load', method: 'tools/call', name, title, contender, against },
})

const list = (name: string, title: string, contender: Contender, against: readonly string[]): LoadRow => ({
  ...{ kind: 'load', method: 'tools/list', name, title, contender, against },
})

const start = (name: string, title: string, contender: Contender, against: readonly string[]): StartRow => ({
  ...{ kind: 'start', name, title, contender, against },
})

/** The guard beside what the libraries alone can do, on the same route. */
const guarded = (kind: string, title: string, token: TokenKind = 'ES256'): readonly LoadRow[] => {
  const contender = (who: string) => program('guarded-echo', who, kind)
  const name = `${kind}-${token}`.toLowerCase()
  return [
    { ...call(`library-${name}`, `${title}: libraries alone`, contender('library'), []), token },
    { ...call(`guard-${name}`, `${title}: guard`, contender('castellan'), [`library-${name}`]), token },
  ]
}

export const serverRows: readonly (LoadRow | StartRow)[] = [
  call('fastify', 'bare Fastify echo', program('fastify-echo'), []),
  call('fastify-checked', 'bare Fastify, zod, token cache', program('fastify-checked'), ['fastify']),
  call('castellan', 'Castellan, open', program('castellan', 'open', '10'), ['fastify', 'sdk-jwt']),
  call('castellan-jwt', 'Castellan, cached ES256', program('castellan', 'jwt', '10'), [
    ...['fastify', 'sdk-jwt', 'sdk-jose'],
  ]),
  call('castellan-jwt-1000', 'Castellan, cached ES256, 1,000 tools', program('castellan', 'jwt', '1000'), [
    ...['castellan-jwt', 'fastify'],
  ]),
  call('sdk-jwt', 'official SDK on Fastify, same JWT check', program('official-sdk', '10'), ['fastify']),
  call('sdk-jose', 'official SDK on Fastify, jose each time', program('official-sdk', '10', 'jose'), [
    ...['fastify', 'sdk-jwt'],
  ]),
  ...guarded('jwt', 'uncached ES256', 'ES256'),
  ...guarded('jwt', 'uncached RS256', 'RS256'),
  ...guarded('jwt', 'uncached EdDSA', 'EdDSA'),
  ...guarded('introspection', 'introspection'),
  ...guarded('introspection-cached', 'cached introspection'),
  ...guarded('dpop', 'DPoP, uncached', 'DPoP'),
  list('list-string', 'the same bytes from a string', program('list-string'), []),
  list('list-castellan', 'Castellan, tools/list of 1,000', program('castellan', 'jwt', '1000'), [
    'list-string',
  ]),
  start('start-fastify', 'bare Fastify', program('fastify-echo'), []),
  start('start-castellan', 'Castellan, 100 tools', program('castellan', 'jwt', '100'), [
    ...['start-fastify', 'start-sdk'],
  ]),
  start('start-sdk', 'official SDK, 100 tools', program('official-sdk', '100'), ['start-fastify']),
]
