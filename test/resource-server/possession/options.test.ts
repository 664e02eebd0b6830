import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import {
  memoryReplayStore,
  withClientCertificates,
  withDpop,
  type ResourceServer,
} from '../../../src/resource-server/index.js'
import { nonces } from '../../../src/resource-server/possession/nonces.js'
import { resource } from '../fixture.js'

const server: ResourceServer = {
  resource,
  issuers: ['https://login.example.com'],
  verify: () => ({ outcome: 'refused', reason: 'key' }),
  close: () => Promise.resolve(),
}

describe('wrong options', () => {
  it.each<[string, any]>([
    ['required', { required: 'yes' }],
    ['required', { required: null }],
    ['algorithms', { algorithms: [] }],
    ['algorithms', { algorithms: ['none'] }],
    ['algorithms', { algorithms: ['HS256'] }],
    ['algorithms', { algorithms: 'ES256' }],
    ['maxAgeSeconds', { maxAgeSeconds: 0 }],
    ['maxAgeSeconds', { maxAgeSeconds: 601 }],
    ['maxAgeSeconds', { maxAgeSeconds: NaN }],
    ['maxAgeSeconds', { maxAgeSeconds: '60' }],
    ['replay', { replay: null }],
    ['replay', { replay: {} }],
    ['nonce.secret', { nonce: {} }],
    ['nonce.secret', { nonce: { secret: randomBytes(31) } }],
    ['nonce.secret', { nonce: { secret: new Uint8Array() } }],
    ['nonce.secret', { nonce: { secret: 'x'.repeat(32) } }],
    ['nonce.secret', { nonce: { secret: generateKeyPairSync('ed25519').privateKey } }],
    ['nonce.lifetimeSeconds', { nonce: { secret: randomBytes(32), lifetimeSeconds: 9 } }],
    ['nonce.lifetimeSeconds', { nonce: { secret: randomBytes(32), lifetimeSeconds: Infinity } }],
  ])('withDpop names %s in %j', (name, options) => {
    const wrong = expect.objectContaining({
      code: 'ERR_OPTION',
      message: expect.stringContaining(`\`${name}\``),
    })
    expect(() => withDpop(server, options)).toThrow(wrong)
  })

  it.each([0, 1.5, -1, 1e8, NaN])('memoryReplayStore refuses maxProofs %s', (maxProofs) => {
    expect(() => memoryReplayStore({ maxProofs })).toThrow('maxProofs')
  })

  it('withClientCertificates needs a source', () => {
    for (const options of [{}, { certificate: 'x' }]) {
      expect(() => withClientCertificates(server, options as never)).toThrow('certificate')
    }
  })

  it('what was given and made cannot be changed afterwards', () => {
    const secret = randomBytes(32)
    const made = nonces({ secret }, resource, () => 0)
    const { possession } = withDpop(server, { nonce: { secret } })
    const nonce = nonces({ secret: Buffer.from(secret) }, resource, () => 0).current()
    secret.fill(0)
    expect(made.current()).toBe(nonce)
    expect(Object.isFrozen(possession) && Object.isFrozen(possession?.dpop)).toBe(true)
  })
})
