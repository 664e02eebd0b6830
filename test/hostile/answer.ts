import { connect } from 'node:net'

/** One HTTP answer as it came over a socket. */
export interface HostileAnswer {
  readonly status: number
  readonly headers: ReadonlyMap<string, string>
  readonly text: string
}

/**
 * Sends bytes on a connection of their own and gives every answer that comes back until the server closes it.
 * A server that stays silent is told by the error of the socket's idle timer.
 */
export async function exchange(port: number, bytes: Uint8Array, halfClose = false): Promise<HostileAnswer[]> {
  const received: Buffer[] = []
  await new Promise<void>((resolve, reject) => {
    const socket = connect(port, '127.0.0.1')
    socket.setTimeout(60_000, () => socket.destroy(new Error('The server neither answered nor closed')))
    socket.on('data', (chunk) => received.push(chunk))
    socket.once('close', () => resolve())
    socket.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'ECONNRESET' || error.code === 'EPIPE') return
      reject(error)
    })
    if (halfClose) socket.end(bytes)
    else socket.write(bytes)
  })
  return readAnswers(Buffer.concat(received))
}

/** Splits what a connection carried into answers, interim ones included. */
export function readAnswers(bytes: Buffer): HostileAnswer[] {
  const answers: HostileAnswer[] = []
  let rest = bytes
  while (rest.length > 0) {
    const end = rest.indexOf('\r\n\r\n')
    const head = rest.subarray(0, end).toString('latin1')
    const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(head)?.[1])
    if (end === -1 || Number.isNaN(status)) throw new Error(`Not an HTTP answer: ${rest.toString('latin1')}`)
    const headers = new Map(
      head
        .split('\r\n')
        .slice(1)
        .map((line) => [
          line.slice(0, line.indexOf(':')).toLowerCase(),
          line.slice(line.indexOf(':') + 1).trim(),
        ]),
    )
    rest = rest.subarray(end + 4)
    if (status === 100 || status === 204) {
      answers.push({ status, headers, text: '' })
    } else if (headers.get('transfer-encoding') === 'chunked') {
      const { text, after } = readChunks(rest)
      answers.push({ status, headers, text })
      rest = after
    } else {
      const length = Number(headers.get('content-length') ?? rest.length)
      answers.push({ status, headers, text: rest.subarray(0, length).toString() })
      rest = rest.subarray(length)
    }
  }
  return answers
}

function readChunks(bytes: Buffer): { text: string; after: Buffer } {
  const pieces: Buffer[] = []
  let rest = bytes
  for (;;) {
    const end = rest.indexOf('\r\n')
    const size = parseInt(rest.subarray(0, end).toString('latin1'), 16)
    if (end === -1 || Number.isNaN(size)) throw new Error('The chunks of an answer are broken off')
    const start = end + 2
    if (size === 0) return { text: Buffer.concat(pieces).toString(), after: rest.subarray(start + 2) }
    pieces.push(rest.subarray(start, start + size))
    rest = rest.subarray(start + size + 2)
  }
}
