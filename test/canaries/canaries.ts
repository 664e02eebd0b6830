import { inspect } from 'node:util'
import type { AuditEvent } from 'castellan/fastify'
import Fastify from 'fastify'
import { expect, onTestFinished, vi } from 'vitest'
import type { Span } from '../../src/protocol/span.js'
import { overhear } from '../watched-log/secrets.js'
import { secretBook, type Secrets } from './secrets.js'
import { recordedWire } from './wire.js'

/** What came out, and where. */
interface Leak {
  readonly where: string
  readonly secrets: readonly string[]
  readonly text: string
}

/** Hears whatever the product says during one test, and knows every secret that was about. */
export interface Canaries {
  readonly secrets: Secrets
  /** Takes an error as a host would: looks at all of it, and logs it. */
  readonly caught: (error: unknown) => void
  /** The same for whatever a call rejects with; undefined then. */
  readonly attempt: <T>(call: Promise<T>) => Promise<T | undefined>
  /** Looks at what a host holds in its hands. */
  readonly seen: (where: string, ...values: readonly unknown[]) => void
  readonly audit: (event: AuditEvent) => void
  readonly span: Span
  /** How much was heard, by where it was said. */
  readonly heard: ReadonlyMap<string, number>
  readonly leaks: () => readonly Leak[]
  /** Nothing said holds anything of a secret; secrets of all these names have been about. */
  readonly expectSilence: (...names: readonly string[]) => void
}

const levels = ['log', 'info', 'warn', 'error', 'debug', 'trace'] as const

/** Until the test ends. */
export function canaries(): Canaries {
  const secrets = secretBook()
  const wire = recordedWire()
  const said: { where: string; text: string }[] = []
  const heard = new Map<string, number>()
  const hear = (where: string, text: string) => {
    said.push({ where, text })
    heard.set(where, (heard.get(where) ?? 0) + 1)
  }
  const stop = listening(hear)
  onTestFinished(() => {
    wire.stop()
    stop()
  })
  const { log } = Fastify()

  function caught(error: unknown): void {
    for (const each of chain(error)) hear('error', everythingOf(each))
    log.error({ err: error, error }, 'A call failed')
  }
  function leaks(): readonly Leak[] {
    wire.tell(secrets)
    return said.flatMap(({ where, text }) => {
      const shown = secrets.shownBy(text)
      return shown.length === 0 ? [] : { where, secrets: shown, text: text.slice(0, 2_000) }
    })
  }
  return {
    secrets,
    heard,
    caught,
    leaks,
    seen: (where, ...values) => values.forEach((value) => hear(where, everythingOf(value))),
    audit: (event) => hear('audit', everythingOf(event)),
    span(name, subject, work) {
      hear('span', `${name} ${subject}`)
      return work()
    },
    attempt: (call) =>
      call.catch((error: unknown) => {
        caught(error)
        return undefined
      }),
    expectSilence(...names) {
      expect(heard.size, 'nothing was said at all').toBeGreaterThan(0)
      expect(leaks()).toEqual([])
      expect([...secrets.names]).toEqual(expect.arrayContaining([...names]))
    },
  }
}

/** Logs of all apps, both streams, the console, and warnings of the process. */
function listening(hear: (where: string, text: string) => void): () => void {
  const watched = levels.map((level) =>
    vi.spyOn(console, level).mockImplementation((...values: readonly unknown[]) => {
      for (const value of values) hear('console', everythingOf(value))
    }),
  )
  const warned = (warning: Error) => hear('warning', everythingOf(warning))
  process.on('warning', warned)
  const stop = overhear((text) => hear('log', text))
  return () => {
    for (const each of watched) each.mockRestore()
    process.off('warning', warned)
    stop()
  }
}

/** An error, its causes, and the errors it is made of. */
function chain(error: unknown, depth = 10): readonly unknown[] {
  if (!(error instanceof Error) || depth === 0) return [error]
  const inner = error instanceof AggregateError ? (error.errors as readonly unknown[]) : []
  const causes = error.cause === undefined ? inner : [error.cause, ...inner]
  return [error, ...causes.flatMap((each) => chain(each, depth - 1))]
}

const unlimited = { depth: 10, maxStringLength: Infinity, maxArrayLength: Infinity } as const

/** As deep as any logger, debugger or error page would look. */
function everythingOf(value: unknown): string {
  return [
    inspect(value, { ...unlimited, showHidden: true }),
    inspect(value, unlimited),
    typeof value === 'object' ? json(value) : '',
    value instanceof Error ? `${String(value)}\n${value.stack}` : '',
  ].join('\n')
}

function json(value: unknown): string {
  try {
    return JSON.stringify(value)
  } catch {
    return ''
  }
}
