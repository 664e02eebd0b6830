import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { namesTarget } from '../../../src/resource-server/possession/target-url.js'

const segment = fc.array(
  fc.constantFrom(...Array.from('abzAZ09-._~!$&()*+,;=:@'), '%2F', '%C3%A9', '%20').filter((c) => c !== '.'),
  { minLength: 1, maxLength: 6 },
)
const path = fc.array(segment, { minLength: 1, maxLength: 4 })
const host = fc.constantFrom('api.example.com', 'a-b.example', '127.0.0.1', '[::1]', 'xn--bcher-kva.example')
const text = (segments: string[][]) => segments.map((each) => `/${each.join('')}`).join('')

/** Another way to write the same characters. */
const disguised = (segments: string[][], flags: boolean[]) =>
  segments
    .map((each) =>
      each.map((part, index) => {
        if (flags[index % flags.length] !== true) return part
        if (part.startsWith('%')) return part.toLowerCase()
        return /[\w~-]/.test(part) ? `%${part.charCodeAt(0).toString(16)}` : part
      }),
    )
    .map((each) => `/${each.join('')}`)
    .join('')

const flags = fc.array(fc.boolean(), { minLength: 3, maxLength: 7 })

describe('A61 the URL of a proof', () => {
  it('is the same however RFC 3986 lets it be written, with any query and fragment', () => {
    fc.assert(
      fc.property(host, path, flags, fc.constantFrom('', ':443'), (name, segments, choice, port) => {
        const target = `https://${name}${text(segments)}`
        const tail = choice[0] === true ? '?a=/../b#c' : ''
        const dots = choice[1] === true ? '/x/..' : '/.'
        const same = `HTTPS://${name.toUpperCase()}${port}${dots}${disguised(segments, choice)}${tail}`
        expect(namesTarget(same, target)).toBe(true)
        expect(namesTarget(target, target)).toBe(true)
      }),
    )
  })

  it('names no other path', () => {
    fc.assert(
      fc.property(path, path, flags, (left, right, choice) => {
        fc.pre(text(left) !== text(right))
        expect(
          namesTarget(`https://h.example${disguised(left, choice)}`, `https://h.example${text(right)}`),
        ).toBe(false)
      }),
    )
  })

  it('never throws, and names a target only when it begins like one', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: 'binary' }), fc.webUrl()), (htu) => {
        const names = namesTarget(htu, 'https://api.example.com/mcp')
        if (names) expect(htu).toMatch(/^https:\/\/api\.example\.com/i)
      }),
    )
  })

  it.each([
    ['https://h.example', 'https://h.example/'],
    ['https://h.example:', 'https://h.example/'],
    ['http://h.example:80/a', 'http://h.example/a'],
    ['https://h.example/%7euser', 'https://h.example/~user'],
    ['https://h.example/a%2fb', 'https://h.example/a%2Fb'],
    ['https://h.example/a/%2E%2e/b', 'https://h.example/b'],
    ['https://h.example:443/@me', 'https://h.example/@me'],
  ])('%s names %s', (htu, target) => {
    expect(namesTarget(htu, target)).toBe(true)
  })

  it.each([
    ['https://h.example/a%2Fb', 'https://h.example/a/b'],
    ['https://h.example//mcp', 'https://h.example/mcp'],
    ['https://h.example/mcp%00', 'https://h.example/mcp'],
    ['https://h.example/mcp%', 'https://h.example/mcp'],
    ['https://h.example/mcp%2', 'https://h.example/mcp'],
    ['https://h.example/m cp', 'https://h.example/m%20cp'],
    ['https://h.example/é', 'https://h.example/%C3%A9'],
    ['https:/h.example/mcp', 'https://h.example/mcp'],
    ['https:h.example/mcp', 'https://h.example/mcp'],
    ['https:///h.example/mcp', 'https://h.example/mcp'],
    ['https:///u@h.example/mcp', 'https://h.example/mcp'],
    [' https://h.example/mcp', 'https://h.example/mcp'],
    ['https://h.example/mcp ', 'https://h.example/mcp'],
    ['https://h.example./mcp', 'https://h.example/mcp'],
    ['https://u:p@h.example/mcp', 'https://h.example/mcp'],
    ['https://@h.example/mcp', 'https://h.example/mcp'],
    ['https://h.example/mcp/..', 'https://h.example/mcp'],
    ['https://h.example:80/mcp', 'https://h.example/mcp'],
    ['//h.example/mcp', 'https://h.example/mcp'],
    ['', 'https://h.example/mcp'],
  ])('%s does not name %s', (htu, target) => {
    expect(namesTarget(htu, target)).toBe(false)
  })
})
