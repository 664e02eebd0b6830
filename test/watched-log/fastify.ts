import Fastify, { type FastifyServerOptions } from '../../node_modules/fastify/fastify.js'
import { watch } from './secrets.js'

interface Stream {
  write(line: string): unknown
}

/** Every app of a test logs all there is, whether or not anybody else reads it. Stands in for `fastify` in tests. */
export default function fastify(options: FastifyServerOptions = {}) {
  return Fastify(
    options.loggerInstance === undefined ? { ...options, logger: watched(options.logger) } : options,
  )
}

export { fastify }

function watched(logger: FastifyServerOptions['logger']): NonNullable<FastifyServerOptions['logger']> {
  const given = typeof logger === 'object' ? logger : { level: 'trace' }
  const { stream } = given as { readonly stream?: Stream }
  const write = (line: string) => {
    watch(line)
    stream?.write(line)
  }
  return { ...given, stream: { write } }
}
