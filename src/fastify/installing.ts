import type { FastifyInstance, FastifyPluginCallback, FastifyPluginOptions } from 'fastify'

/** A plugin whose wrong options make starting fail; thrown straight from a plugin, they would end the process. */
export function installing<Options extends FastifyPluginOptions>(
  install: (app: FastifyInstance, options: Options) => void,
): FastifyPluginCallback<Options> {
  return (app, options, done) => {
    try {
      install(app, options)
    } catch (error) {
      done(error as Error)
      return
    }
    done()
  }
}
