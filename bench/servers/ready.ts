import type { FastifyInstance } from 'fastify'

/** Listens on a free port and tells the parent which. */
export async function ready(app: FastifyInstance): Promise<void> {
  const url = await app.listen({ port: 0, host: '127.0.0.1' })
  console.log(`READY ${new URL(url).port}`)
}
