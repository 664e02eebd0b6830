import { readFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { AnswerReader } from './answer-reader.js'
import { compiled } from './compiled.js'
import { firstLine, pinned, stop } from './pinned.js'
import type { Contender } from './row.js'

export interface RunningContender {
  readonly port: number
  readonly pid: number
  /** Resident memory right now, in megabytes. */
  residentMegabytes(): Promise<number>
  stop(): Promise<void>
}

/** Starts a server, on core 0 when it is what is measured, and waits until it listens. */
export async function startContender(
  contender: Contender,
  env: NodeJS.ProcessEnv,
  core: 0 | 1 = 0,
): Promise<RunningContender> {
  const child = pinned(core, compiled(contender.file), contender.args, env)
  const [word, port] = (await firstLine(child)).split(' ')
  if (word !== 'READY') throw new Error(`${contender.file} did not start`)
  const pid = child.pid ?? 0
  return {
    port: Number(port),
    pid,
    residentMegabytes: () => resident(pid),
    stop: () => stop(child),
  }
}

async function resident(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '')
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? Number.NaN) / 1024
}

/** Sends one request and returns the whole answer, or throws when it is not 200. */
export function askOnce(port: number, request: Buffer): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    const socket = connect({ port, host: '127.0.0.1' }, () => socket.write(request))
    const reader = new AnswerReader((status) => {
      socket.destroy()
      const answer = Buffer.concat(chunks)
      if (status === 200) resolve(answer)
      else reject(new Error(`Answered ${answer.toString()}`))
    })
    socket.on('error', reject)
    socket.on('data', (bytes) => {
      chunks.push(bytes)
      reader.push(bytes)
    })
  })
}
