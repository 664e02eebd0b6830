import { describe, expect, test } from 'vitest'
import { canaries } from './canaries.js'
import { applications } from './lives/applications.js'
import { assertions } from './lives/assertions.js'
import { localConsent } from './lives/local-consent.js'
import { resourceServers } from './lives/resource-servers.js'
import { webConsents } from './lives/web-consent.js'

describe('G26 A110 B61 B89 nothing secret is shown when all goes well, or is refused as it should be', () => {
  // Where a sign-on fails makes no difference here.
  const sound = assertions.filter(({ name }) => !name.endsWith(', provider'))
  const lives = [...webConsents, localConsent, ...applications, ...sound, ...resourceServers]

  test.each(lives.map((life) => [life.name, life] as const))('by %s', async (_, { live, secrets }) => {
    const found = canaries()
    await live(found, {})
    found.expectSilence(...secrets)
    const places = secrets.includes('access_token') ? ['log', 'audit', 'span'] : ['log', 'audit']
    for (const place of places) expect(found.heard.get(place)).toBeGreaterThan(2)
  })
})
