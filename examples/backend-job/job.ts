import { createClient, httpCaller } from 'castellan/client'
import { memoryAuthorizationStore } from 'castellan/store'
import { clientCredentialsTransport, type Registration } from 'castellan/transports'
import { countNotes } from './notes-server.js'

/** A job that acts as itself: any number of calls, one token. */
export async function countTwice(endpoint: string, registration: Registration): Promise<readonly string[]> {
  const transport = clientCredentialsTransport({
    endpoint,
    registration,
    scopes: ['notes:read'],
    store: memoryAuthorizationStore(),
    allowLoopbackHttp: true,
  })
  await using client = createClient(
    httpCaller({ clientInfo: { name: 'nightly-report', version: '1.0.0' }, transport }),
  )
  const signal = AbortSignal.timeout(20_000)
  const answers = [
    await client.call(countNotes, {}, { signal }),
    await client.call(countNotes, {}, { signal }),
  ]
  return answers.map(({ owner, notes }) => `${owner}: ${notes}`)
}
