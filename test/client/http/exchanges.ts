import type { HttpExchange } from '../../../src/network/http-exchange.js'
import { fetchExchange } from '../../../src/network/http-fetch-exchange.js'
import { undiciExchange } from '../../../src/network/http-undici-exchange.js'

/** Both ways to send; every channel test runs over each. */
export const exchanges: readonly {
  readonly name: string
  readonly make: (endpoint: string) => HttpExchange
}[] = [
  { name: 'undici', make: (endpoint) => undiciExchange(endpoint) },
  { name: 'fetch', make: (endpoint) => fetchExchange(endpoint, fetch) },
]
