import { describe, expect, test } from 'vitest'
import { modern } from '../../src/protocol/2026-07-28/revision.js'
import { revisionOf, revisions } from '../../src/protocol/negotiation.js'

const claim = (version: unknown) => ({ _meta: { 'io.modelcontextprotocol/protocolVersion': version } })
const headers = (version?: string) => (name: string) =>
  name === 'mcp-protocol-version' ? version : undefined

describe('revisionOf with both revisions', () => {
  test.each([
    ['LEG-10 a claim makes it modern', 'tools/list', claim('2026-07-28'), '2026-07-28', '2026-07-28'],
    ['LEG-10 even an unknown claim', 'tools/list', claim('1900-01-01'), '1900-01-01', '2026-07-28'],
    ['LEG-10 even one of the wrong type', 'tools/list', claim(7), undefined, '2026-07-28'],
    ['LEG-10 also on initialize', 'initialize', claim('2026-07-28'), '2026-07-28', '2026-07-28'],
    ['LEG-11 a modern header without a claim', 'tools/list', {}, '2026-07-28', '2026-07-28'],
    ['LEG-11 a later header without a claim', 'tools/list', {}, '2027-01-01', '2026-07-28'],
    ['LEG-11 initialize under a modern header', 'initialize', {}, '2026-07-28', '2026-07-28'],
    ['LEG-12 a bare initialize', 'initialize', {}, undefined, '2025-11-25'],
    ['LEG-12 initialize under an older header', 'initialize', {}, '2025-06-18', '2025-11-25'],
    ['LEG-12 a call under the legacy header', 'tools/list', {}, '2025-11-25', '2025-11-25'],
    ['LEG-14 a call without header and claim', 'tools/list', undefined, undefined, '2025-11-25'],
    [
      'LEG-15 a modern claim under a legacy header',
      'tools/list',
      claim('2026-07-28'),
      '2025-11-25',
      '2026-07-28',
    ],
    [
      'VERS-11 a legacy claim under the legacy header',
      'tools/list',
      claim('2025-11-25'),
      '2025-11-25',
      '2025-11-25',
    ],
    [
      'VERS-11 a legacy claim under a modern header',
      'tools/list',
      claim('2025-11-25'),
      '2026-07-28',
      '2026-07-28',
    ],
    ['LEG-16 foreign meta keys', 'tools/list', { _meta: { progressToken: 1 } }, '2025-11-25', '2025-11-25'],
    ['HDR-8 blanks around the header', 'tools/list', {}, ' 2025-11-25\t', '2025-11-25'],
  ])('%s', (_rule, method, params, header, expected) => {
    expect(revisionOf(method, params, headers(header), revisions).version).toBe(expected)
  })

  test.each(['2024-11-05', 'zzzz', '2025-11-25-x', '', '20260728'])(
    'LEG-13 B026 header %j without a claim is answered with what is served',
    (header) => {
      expect(() => revisionOf('tools/list', {}, headers(header), revisions)).toThrow(
        expect.objectContaining({
          code: 'ERR_VERSION',
          data: { supported: ['2026-07-28', '2025-11-25'], requested: header },
        }),
      )
    },
  )
})

describe('revisionOf with the modern revision only', () => {
  test('LEG-35 initialize is told what is served', () => {
    expect(() => revisionOf('initialize', { protocolVersion: '2025-11-25' }, headers(), [modern])).toThrow(
      expect.objectContaining({ data: { supported: ['2026-07-28'], requested: '2025-11-25' } }),
    )
  })

  test('B029 a legacy header is told what is served', () => {
    expect(() => revisionOf('tools/list', {}, headers('2025-11-25'), [modern])).toThrow(
      expect.objectContaining({ code: 'ERR_VERSION' }),
    )
  })

  test('a bare call is a malformed modern one', () => {
    expect(revisionOf('tools/list', {}, headers(), [modern])).toBe(modern)
  })
})
