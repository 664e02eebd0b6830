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
