import type { FastifySchema } from 'fastify'

/** The schema of a route that has no place in the host's OpenAPI document, as `@fastify/swagger` understands it. */
export function undocumented(): FastifySchema {
  const schema: object = { hide: true }
  return schema
}
