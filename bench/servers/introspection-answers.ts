import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { firstLine, pinned } from '../pinned.js'
import { issuer, resource, scope } from '../workload.js'

const itself = fileURLToPath(import.meta.url)

/** Starts an introspection endpoint on the core that is not measured, which ends with this process. */
export async function startIssuer(): Promise<string> {
  return firstLine(pinned(1, itself, []))
}

function serve(): void {
  const parent = process.ppid
  setInterval(() => process.ppid === parent || process.exit(), 200)
  const exp = Math.floor(Date.now() / 1000) + 21_600
  const answer = JSON.stringify({ active: true, iss: issuer, aud: resource, sub: 'bench', scope, exp })
  const headers = { 'content-type': 'application/json', 'content-length': answer.length }
  const server = createServer((request, response) => {
    request.resume().on('end', () => response.writeHead(200, headers).end(answer))
  })
  server.listen(0, '127.0.0.1', () => {
    console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}/introspect`)
  })
}

if (process.argv[1] === itself) serve()
