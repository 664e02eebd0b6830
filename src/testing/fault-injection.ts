import type { ServerResponse } from 'node:http'

/** What a test authorization server serves. */
export type Endpoint = 'metadata' | 'jwks' | 'authorization' | 'token' | 'introspection' | 'revocation'

/**
 * How an endpoint can fail: `outage` answers 500, `disconnect` drops the connection, `hang` holds requests until
 * the fault ends, `bad-json` answers 200 with broken JSON, `redirect` answers 302, `huge` answers more than 256 KiB,
 * `slow` answers 200 and a byte now and then, without end.
 */
export type Fault = 'outage' | 'disconnect' | 'hang' | 'bad-json' | 'redirect' | 'huge' | 'slow'

/** Faults in force and the requests they hold. */
export interface FaultInjection {
  /** Makes an endpoint fail until the returned function is called. */
  begin(endpoint: Endpoint, fault: Fault): () => void
  /** Answers in place of the endpoint where a fault is in force; resolves to false where the endpoint may answer. */
  intercept(endpoint: Endpoint, response: ServerResponse): Promise<boolean>
  /** Ends all faults. */
  clear(): void
}

/** Makes an authorization server fail on demand. */
export function faultInjection(): FaultInjection {
  const active = new Map<
    Endpoint,
    { readonly fault: Fault; readonly ended: Promise<void>; readonly end: () => void }
  >()
  return {
    begin(endpoint, fault) {
      active.get(endpoint)?.end()
      let release = (): void => undefined
      const ended = new Promise<void>((resolve) => (release = resolve))
      const entry = { fault, ended, end }
      active.set(endpoint, entry)
      function end(): void {
        if (active.get(endpoint) === entry) active.delete(endpoint)
        release()
      }
      return end
    },
    async intercept(endpoint, response) {
      const entry = active.get(endpoint)
      if (entry === undefined) return false
      if (entry.fault === 'hang') {
        await entry.ended
        return false
      }
      answerBadly(entry.fault, response)
      return true
    },
    clear() {
      for (const entry of [...active.values()]) entry.end()
    },
  }
}

function answerBadly(fault: Exclude<Fault, 'hang'>, response: ServerResponse): void {
  if (fault === 'disconnect') response.destroy()
  else if (fault === 'slow') drip(response)
  else if (fault === 'outage') response.writeHead(500).end()
  else if (fault === 'redirect') response.writeHead(302, { location: '/elsewhere' }).end()
  else if (fault === 'bad-json')
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"keys":')
  else response.writeHead(200).end(JSON.stringify({ padding: 'x'.repeat(300_000) }))
}

function drip(response: ServerResponse): void {
  const timer = setInterval(() => response.write(' '), 10)
  response.writeHead(200, { 'content-type': 'application/json' }).on('close', () => clearInterval(timer))
}
