import { privateKey } from 'castellan/transports'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { chooseRegistration } from '../../src/transports/discovery/choose-registration.js'
import { fromHost } from '../../src/transports/from-host.js'
import { requestToken } from '../../src/transports/token/token-endpoint.js'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const never = () => new Promise<never>(() => undefined)

test('D3 what the host does not give within 30 seconds is waited for no longer, and the host is told', async () => {
  let told: AbortSignal | undefined
  const asked = fromHost((signal) => {
    told = signal
    return never()
  })
  const late = expect(asked).rejects.toMatchObject({ name: 'TimeoutError' })
  await vi.advanceTimersByTimeAsync(29_999)
  expect(told?.aborted).toBe(false)
  await vi.advanceTimersByTimeAsync(1)
  await late
  expect(told?.aborted).toBe(true)
})

test('what the host throws at once is the error', async () => {
  const failing = () => {
    throw new Error('no file')
  }
  await expect(fromHost(failing)).rejects.toThrow('no file')
})

test('D3 a signer that never answers holds nothing up: nothing is sent', async () => {
  const issuer = 'https://login.example.com'
  const registration = privateKey({ issuer, clientId: 'job', kid: '1', alg: 'ES256', key: never })
  const send = vi.fn()
  const asked = requestToken(send, {
    ...{ server: { issuer, token_endpoint: `${issuer}/token` }, registration },
    parameters: { grant_type: 'client_credentials' },
  })
  await vi.advanceTimersByTimeAsync(30_000)
  expect(await asked).toMatchObject({ ok: false, error: { code: 'ERR_TOKEN_ENDPOINT' }, usedUp: false })
  expect(send).not.toHaveBeenCalled()
})

test('D3 a host that never decides on a registration holds nothing up', async () => {
  const late = expect(chooseRegistration(never, ['https://login.example.com'])).rejects.toMatchObject({
    name: 'TimeoutError',
  })
  await vi.advanceTimersByTimeAsync(30_000)
  await late
})
