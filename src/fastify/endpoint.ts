import cors from '@fastify/cors'
import type { FastifyContextConfig, FastifyInstance, FastifyPluginAsync } from 'fastify'
import type { McpServer } from '../server/server.js'
import type { BoundTool } from '../server/tools.js'
import { browserAccess } from './browser-access.js'
import { entrance, originGate, type Watch } from './entrance.js'
import { errorHandler } from './error-answer.js'
import { ownGuard } from './own-guard.js'
import { postHandler } from './post.js'
import { holdPrincipal } from './request-principal.js'
import { RunningCalls } from './running-calls.js'
import { undocumented } from './undocumented.js'

export interface EndpointOptions {
  readonly server: McpServer
  readonly watch: Watch
  /** The tools whose mirrored headers browsers may send. */
  readonly tools: readonly BoundTool[]
  readonly bodyLimit?: number
}

/** The routes of one endpoint in a context of their own, so that nothing here touches the rest of the app. */
export const endpoint: FastifyPluginAsync<EndpointOptions> = async (
  app,
  { server, watch, tools, bodyLimit },
) => {
  const running = new RunningCalls()
  holdPrincipal(app)
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, parsed) => parsed(null, body))
  app.setErrorHandler(errorHandler)
  app.addHook('onRequest', originGate(watch))
  const access = watch.origins.size === 0 ? undefined : browserAccess(watch.origins, tools)
  if (access !== undefined && !hostHasCors(app)) await app.register(cors, access)
  app.addHook('onRequest', entrance(watch))
  app.addHook('preClose', (closed) => {
    running.startClosing()
    server.close()
    closed()
  })
  app.addHook('onClose', (_app, closed) => {
    running.close()
    closed()
  })
  app.route({
    method: app.supportedMethods,
    url: '',
    schema: undocumented(),
    ...(bodyLimit === undefined ? {} : { bodyLimit }),
    config: {
      [ownGuard]: watch.guard !== undefined,
      ...(access === undefined ? {} : ({ cors: access } as FastifyContextConfig)),
    },
    logSerializers: { req: requestWithoutQuery },
    handler: postHandler({ server, guard: watch.guard, running, audit: watch.audit }),
  })
}

/** The host's own `@fastify/cors` follows the options of our routes. */
function hostHasCors(app: FastifyInstance): boolean {
  return app.hasRequestDecorator('corsPreflightEnabled')
}

/** A query or fragment may hold a token that was sent where it must not be; it is not logged. */
function requestWithoutQuery({
  method,
  url,
  host,
  ip,
}: {
  method: string
  url: string
  host: string
  ip: string
}) {
  return { method, url: url.split(/[?#]/)[0], host, remoteAddress: ip }
}
