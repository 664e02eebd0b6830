import type { Fault } from 'castellan/testing'
import { test } from 'vitest'
import { canaries } from './canaries.js'
import { applications } from './lives/applications.js'
import { assertions } from './lives/assertions.js'
import type { Break, Endpoint, Faults } from './lives/life.js'
import { localConsent } from './lives/local-consent.js'
import { resourceServers } from './lives/resource-servers.js'
import { webConsents } from './lives/web-consent.js'

const faults: readonly Fault[] = ['outage', 'disconnect', 'hang', 'bad-json', 'redirect', 'huge', 'slow']

const chosen = [
  /web application, a key, bound/,
  /this machine/,
  /application by a secret in the header, bound/,
  /sign-on by id_token, as/,
  /sign-on by refresh_token, provider/,
  /workload/,
  /for signed tokens/,
  /with signed answers/,
]
const lives = [...webConsents, localConsent, ...applications, ...assertions, ...resourceServers].filter(
  ({ name }) => chosen.some((each) => each.test(name)),
)

/** What takes until a time limit fails once only, and not where several would be waited for one after the other. */
const isLong = (fault: Fault) => fault === 'hang' || fault === 'slow'
const isQuick = (endpoint: Endpoint, fault: Fault) => endpoint !== 'revocation' || !isLong(fault)
/** What is alike in all lives: half of the faults in each of them will do. */
const isHalved = (endpoint: Endpoint) => endpoint !== 'token' && endpoint !== 'introspection'

function failing(endpoint: Endpoint, fault: Fault): Break {
  return (as) => {
    const end = as.fault(endpoint, fault)
    const before = as.requests[endpoint]
    return () => {
      if (isLong(fault) && as.requests[endpoint] > before) end()
    }
  }
}

/** All at once, since what hangs, hangs until a time limit of the product; each fault early in half of the lives, late in the others. */
test('G26 A110 B61 B89 nothing secret is shown whatever fails at an authorization server', async () => {
  const found = canaries()
  const runs = lives.flatMap(({ endpoints, live }, which) =>
    endpoints.flatMap((endpoint) =>
      faults
        .filter((fault) => isQuick(endpoint, fault))
        .filter((_, index) => !isHalved(endpoint) || Math.floor(which / 2 + index) % 2 === 0)
        .map((fault, index): Promise<void> => {
          const fail = failing(endpoint, fault)
          const when: Faults = (which + index) % 2 === 0 ? { early: fail } : { late: fail }
          return live(found, when)
        }),
    ),
  )
  await Promise.all(runs)
  found.expectSilence(...lives.flatMap(({ secrets }) => secrets))
})
