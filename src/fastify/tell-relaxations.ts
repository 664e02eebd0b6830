import type { FastifyInstance } from 'fastify'
import type { ResourceServer } from '../resource-server/resource-server.js'

/** Says once, while the app starts, what a resource server asks less of tokens than the specifications do. */
export function tellRelaxations({ log }: FastifyInstance, auth: ResourceServer | 'none'): void {
  if (auth === 'none' || auth.relaxations === undefined || auth.relaxations.length === 0) return
  const { resource, relaxations } = auth
  log.warn({ resource, relaxations }, 'Less is asked of access tokens than by default')
}
