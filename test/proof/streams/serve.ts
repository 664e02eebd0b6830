import type { FastifyInstance } from 'fastify'
import type { AddressInfo } from 'node:net'

/** What a server under measurement is asked. */
export type Question = 'memory' | 'change' | 'handles'

/** Bytes, nanoseconds of the monotonic clock at the moment of a change, or a number of handles. */
export interface Answer {
  readonly value: number
}

declare const gc: () => void

/** Listens, says where to the process that started this one, and answers its questions. */
export async function serve(app: FastifyInstance, change: () => void): Promise<void> {
  await app.listen({ port: 0, host: '127.0.0.1', backlog: 4096 })
  process.on('message', (question: Question) => process.send?.({ value: answer(question, change) }))
  process.on('disconnect', () => process.exit())
  process.send?.({ value: (app.server.address() as AddressInfo).port })
}

function answer(question: Question, change: () => void): number {
  if (question === 'handles') return process.getActiveResourcesInfo().length
  if (question === 'memory') {
    for (let i = 0; i < 4; i++) gc()
    const { heapUsed, external } = process.memoryUsage()
    return heapUsed + external
  }
  const begun = Number(process.hrtime.bigint())
  change()
  return begun
}
