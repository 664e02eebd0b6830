import { describe, expect, test } from 'vitest'
import { metaKeyProblem } from '../../src/protocol/meta.js'

describe('metaKeyProblem', () => {
  test.each([
    'com.example/trace',
    'traceparent',
    'tracestate',
    'baggage',
    'name',
    'com.example.mcp/x',
    'a/',
    'a-b.c9/x.y_z-1',
  ])('META-9 META-11 %s may be used', (key) => expect(metaKeyProblem(key)).toBeUndefined())

  test.each(['io.modelcontextprotocol/x', 'dev.mcp/', 'com.mcp.tools/x', 'io.modelcontextprotocol.sub/x'])(
    'META-10 %s is reserved',
    (key) => expect(metaKeyProblem(key)).toContain('reserved'),
  )

  test.each(['1com/x', 'com..example/x', 'com.example-/x', 'x y', '-x', 'x-', 'a/b/c', 'é'])(
    'META-9 %s is malformed',
    (key) => expect(metaKeyProblem(key)).toContain('not a valid key'),
  )
})
