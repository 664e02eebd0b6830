import type { LookupAddress } from 'node:dns'
import { isIP } from 'node:net'
import fc from 'fast-check'
import { afterEach, describe, expect, test } from 'vitest'
import {
  addressGuard,
  AddressRefusedError,
  type AddressRules,
  type Resolver,
} from '../../src/network/address-guard.js'
import { boundedHttp } from '../../src/network/bounded-http.js'
import { guardedHttp } from '../../src/network/guarded-http.js'
import { isPublicAddress } from '../../src/network/public-address.js'
import { loopbackServer } from '../../src/testing/loopback-server.js'

const cleanUp: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of cleanUp.splice(0)) await close()
})

/** Every form a URL can have that leads inside, as it is written by those who try. */
const innerHosts = [
  ...['0.0.0.0', '0', '0.1.2.3', '0x0', '00000000000'],
  ...['10.0.0.1', '10.255.255.255', '10.1', '0xa.1', '012.0.0.1', '167772161'],
  ...['100.64.0.1', '100.100.100.200', '100.127.255.255'],
  ...['127.0.0.1', '127.1', '127.0.1', '127.255.255.254', '0x7f.1', '0x7f000001', '2130706433', '0177.0.0.1'],
  ...['0177.1', '017700000001', '127.0.0.1.', '１２７.0.0.1', '127。0。0。1'],
  ...['168.63.129.16', '169.254.0.1', '169.254.169.254', '169.254.169.254.', '2852039166', '0xa9fea9fe'],
  ...['172.16.0.1', '172.31.255.255', '192.0.0.1', '192.0.0.192', '192.0.2.1', '192.88.99.1', '192.168.0.1'],
  ...['192.168.1', '3232235521', '198.18.0.1', '198.19.255.255', '198.51.100.1', '203.0.113.7'],
  ...['224.0.0.1', '239.255.255.255', '240.0.0.1', '255.255.255.255', '0xffffffff'],
  ...['[::]', '[::1]', '[0:0:0:0:0:0:0:1]', '[::127.0.0.1]', '[::7f00:1]'],
  ...['[::ffff:127.0.0.1]', '[::ffff:7f00:1]', '[0:0:0:0:0:ffff:a9fe:a9fe]', '[::ffff:10.0.0.1]'],
  ...['[::ffff:8.8.8.8]', '[::ffff:0:127.0.0.1]', '[64:ff9b::127.0.0.1]', '[64:ff9b::a9fe:a9fe]'],
  ...['[64:ff9b::8.8.8.8]', '[64:ff9b:1::a00:1]', '[100::1]', '[2001::1]', '[2001:0:7f00:1::1]'],
  ...['[2001:10::1]', '[2001:20::1]', '[2001:db8::1]', '[2001:db8:ffff::1]', '[2002:7f00:1::]'],
  ...['[2002:a00:1::1]', '[2002:808:808::1]', '[3fff::1]', '[5f00::1]', '[fc00::1]', '[fd12:3456::1]'],
  ...[
    '[fdff:ffff::1]',
    '[fe80::1]',
    '[fe80::5efe:a00:1]',
    '[febf::1]',
    '[fec0::1]',
    '[ff02::1]',
    '[ff0e::1]',
  ],
  ...['[::5efe:10.0.0.1]', '[2606:4700:1:2:0:5efe:a00:1]', '[2606:4700:1:2:200:5efe:7f00:1]'],
  ...['[2606:4700::5efe:192.168.0.1]', '[4000::1]', '[e000::1]'],
]

const outerHosts = [
  ...['1.1.1.1', '8.8.8.8', '93.184.216.34', '100.63.255.255', '100.128.0.1', '172.15.0.1', '172.32.0.1'],
  ...['192.0.1.1', '192.169.0.1', '198.17.0.1', '198.20.0.1', '223.255.255.255', '11.0.0.1', '128.0.0.1'],
  ...['[2606:4700::1111]', '[2a00:1450:4001::200e]', '[2001:4860:4860::8888]', '[2400:cb00::1]'],
]

describe('B82 B83 B84 G51 addresses as they are written', () => {
  test('there are enough of them to mean something', () => {
    expect(new Set(innerHosts).size).toBeGreaterThanOrEqual(80)
  })

  test.each(innerHosts)('https://%s/ is refused', (host) => {
    expect(addressGuard().admits(`https://${host}/`)).toBe(false)
  })

  test.each(outerHosts)('https://%s/ is admitted', (host) => {
    expect(addressGuard().admits(`https://${host}/`)).toBe(true)
  })

  test.each([
    'http://example.com/',
    'http://93.184.216.34/',
    'gopher://example.com/',
    'ftp://example.com/',
    'file:///etc/passwd',
    'data:application/json,{}',
    'javascript:alert(1)',
    'https://user@example.com/',
    'https://user:pass@example.com/',
    'https://',
    '//example.com/',
    '',
    'http://[::]',
    'http://localhost/',
    'http://localhost./',
    'http://127.0.0.1/',
  ])('B81 %j is refused', (url) => {
    expect(addressGuard().admits(url)).toBe(false)
  })

  test('B83 no IPv4 address is public within IPv6', () => {
    fc.assert(
      fc.property(fc.ipV4(), (address) => {
        for (const form of [
          `::ffff:${address}`,
          `::${address}`,
          `64:ff9b::${address}`,
          `2606:4700::5efe:${address}`,
        ])
          expect(isPublicAddress(form)).toBe(false)
      }),
    )
  })

  test('B84 what is no address is not public', () => {
    fc.assert(fc.property(fc.string(), (text) => isIP(text) !== 0 || !isPublicAddress(text)))
  })
})

const answer = (...addresses: string[]): Resolver => {
  const list = addresses.map((address): LookupAddress => ({ address, family: isIP(address) }))
  return (_host, _options, callback) => callback(null, list)
}

async function resolved(host: string, resolver: Resolver, rules?: AddressRules): Promise<unknown> {
  const { lookup } = addressGuard(rules, resolver)
  return new Promise((resolve) =>
    lookup(host, { all: true }, (error, addresses) => resolve(error ?? addresses)),
  )
}

const refused = new AddressRefusedError()
const allowHosts = ['login.corp.example']

describe('B82 addresses as names give them', () => {
  test.each([
    [['127.0.0.1']],
    [['93.184.216.34', '127.0.0.1']],
    [['2606:4700::1111', '::1']],
    [['2606:4700::1111', '93.184.216.34', '169.254.169.254']],
    [['::ffff:8.8.8.8']],
    [[]],
  ])('%j is refused as a whole', async (addresses) => {
    expect(await resolved('login.example.com', answer(...addresses))).toEqual(refused)
  })

  test('public addresses are given on, all of them', async () => {
    const both = answer('93.184.216.34', '2606:4700::1111')
    expect(await resolved('login.example.com', both)).toEqual([
      { address: '93.184.216.34', family: 4 },
      { address: '2606:4700::1111', family: 6 },
    ])
  })

  test('a caller that wants one address gets a checked one', async () => {
    const one = (resolver: Resolver) =>
      new Promise((resolve) =>
        addressGuard({}, resolver).lookup('a.example', {}, (error, address, family) =>
          resolve(error ?? [address, family]),
        ),
      )
    expect(await one(answer('93.184.216.34', '1.1.1.1'))).toEqual(['93.184.216.34', 4])
    expect(await one(answer('93.184.216.34', '10.0.0.1'))).toEqual(refused)
  })

  test('an answer that flips between two connections is checked each time', async () => {
    const answers = [answer('93.184.216.34'), answer('10.0.0.1')]
    const flipping: Resolver = (...request) => answers.shift()!(...request)
    const { lookup } = addressGuard({}, flipping)
    const next = () => new Promise((resolve) => lookup('a.example', { all: true }, (error) => resolve(error)))
    expect(await next()).toBeNull()
    expect(await next()).toEqual(refused)
  })

  test('B87 a host on the list may lead into a private network, and nowhere else', async () => {
    const to = (host: string, address: string) => resolved(host, answer(address), { allowHosts })
    expect(await to('login.corp.example', '10.1.2.3')).toEqual([{ address: '10.1.2.3', family: 4 }])
    expect(await to('login.corp.example.', 'fd00::1')).toEqual([{ address: 'fd00::1', family: 6 }])
    for (const inner of ['169.254.169.254', '0.0.0.0', 'fe80::1', '224.0.0.1'])
      expect(await to('login.corp.example', inner)).toEqual(refused)
    for (const host of ['evil.login.corp.example', 'corp.example', 'LOGIN.corp.example'])
      expect(await to(host, '10.1.2.3')).toEqual(refused)
  })

  test('B87 the list opens neither http nor loopback names', () => {
    const guard = addressGuard({ allowHosts })
    expect(guard.admits('http://login.corp.example/')).toBe(false)
    expect(guard.admits('https://127.0.0.1/')).toBe(false)
  })

  test('B81 loopback is an opt-in of its own', async () => {
    const guard = addressGuard({ allowLoopback: true })
    for (const url of ['http://127.0.0.1:1/', 'http://[::1]/', 'http://localhost/', 'https://localhost./'])
      expect(guard.admits(url)).toBe(true)
    for (const url of [
      'http://10.0.0.1/',
      'https://10.0.0.1/',
      'http://localhost.example.com/',
      'http://[::]/',
    ])
      expect(guard.admits(url)).toBe(false)
    const rules = { allowLoopback: true }
    expect(await resolved('localhost', answer('127.0.0.1', '::1'), rules)).toHaveLength(2)
    expect(await resolved('localhost', answer('10.0.0.1'), rules)).toEqual(refused)
    expect(await resolved('rebound.example', answer('127.0.0.1'), rules)).toEqual(refused)
  })
})

describe('B80 requests through the guard', () => {
  test('F39 a name that leads inside is refused before a connection, and the fault says nothing of it', async () => {
    const http = boundedHttp({ guard: addressGuard({}, answer('127.0.0.1')) })
    cleanUp.push(() => http.close())
    const outcome = await http.send({ url: 'https://canary.example/canary?canary=1' })
    expect(outcome).toEqual({ ok: false, fault: 'refused' })
    expect(refused.message + String(refused.stack?.split('\n')[0])).not.toMatch(/canary|127/)
  })

  test('literals and schemes are refused without asking for an address', async () => {
    let lookups = 0
    const http = boundedHttp({ guard: addressGuard({}, () => void (lookups += 1)) })
    cleanUp.push(() => http.close())
    for (const url of ['https://169.254.169.254/', 'http://example.com/', 'https://[::1]/', 'not a URL'])
      expect(await http.send({ url })).toEqual({ ok: false, fault: 'refused' })
    expect(lookups).toBe(0)
  })

  test('what is connected to is what was checked: one lookup a connection', async () => {
    const server = await loopbackServer((_, response) => void response.end('{}'))
    let lookups = 0
    const counting: Resolver = (host, options, callback) => {
      lookups += 1
      answer('127.0.0.1')(host, options, callback)
    }
    const http = boundedHttp({ guard: addressGuard({ allowLoopback: true }, counting) })
    cleanUp.push(
      () => http.close(),
      () => server.close(),
    )
    const url = server.origin.replace('127.0.0.1', 'localhost')
    expect(await http.send({ url })).toMatchObject({ ok: true, status: 200 })
    expect(lookups).toBe(1)
  })

  test('B88 only origins the operator wrote may be inside', async () => {
    const server = await loopbackServer((_, response) => void response.end('{}'))
    const other = await loopbackServer((_, response) => void response.end('{}'))
    const http = guardedHttp()
    cleanUp.push(
      () => http.close(),
      () => server.close(),
      () => other.close(),
    )
    const trust = { origins: [server.origin] }
    expect(await http.send({ url: `${server.origin}/a` }, trust)).toMatchObject({ ok: true })
    expect(await http.send({ url: `${other.origin}/a` }, trust)).toEqual({ ok: false, fault: 'refused' })
    expect(await http.send({ url: `${other.origin}/a` }, { origins: [], loopback: true })).toMatchObject({
      ok: true,
    })
    expect(http.admits(other.origin, trust)).toBe(false)
    expect(http.admits(server.origin, trust)).toBe(true)
  })

  test('B86 no cookie, referrer or credential goes along, and one answer can be bounded more tightly', async () => {
    const seen: unknown[] = []
    const server = await loopbackServer((request, response) => {
      seen.push(Object.keys(request.headers).sort())
      response.setHeader('set-cookie', 'a=1').end('x'.repeat(100))
    })
    const http = guardedHttp()
    cleanUp.push(
      () => http.close(),
      () => server.close(),
    )
    const trust = { origins: [server.origin] }
    expect(await http.send({ url: server.origin, maxBytes: 100 }, trust)).toMatchObject({ ok: true })
    expect(await http.send({ url: server.origin, maxBytes: 99 }, trust)).toEqual({ ok: false, fault: 'size' })
    expect(seen).toEqual([
      ['accept', 'connection', 'host'],
      ['accept', 'connection', 'host'],
    ])
  })
})
