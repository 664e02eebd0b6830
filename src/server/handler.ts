import type { HandlerContext } from '../contract/context.js'
import type { Span } from '../protocol/span.js'
import type { Bound, AnyDefinition } from './handle.js'
import type { Call } from './call.js'
import type { BeginInput } from './input/input-exchange.js'

/** A call that is about to reach its handler: authorized, validated, not yet run. */
export interface PendingCall {
  readonly method: string
  /** The tool, prompt, resource URI or argument that is asked for. */
  readonly name: string
  readonly input: unknown
  readonly context: HandlerContext
}

/** Works around a call: what it returns, usually `next()`, is taken as the handler's return value. */
export type Around = (call: PendingCall, next: () => Promise<unknown>) => unknown

/** Runs a handler inside the functions around it, the first one outermost. */
export type RunHandler = (
  bound: Bound<AnyDefinition>['handler'],
  name: string,
  input: unknown,
  call: Call,
) => unknown

/** What comes before a handler, and the handler. */
export interface HandlerSteps {
  readonly beginInput: BeginInput
  readonly run: RunHandler
}

/** Runs handlers inside the functions around them, and all that inside a span if somebody watches. */
export function handlerRunner(around: readonly Around[], span?: Span): RunHandler {
  const run = asking(runnerInside(around))
  if (span === undefined) return run
  return (handler, name, input, call) => span('mcp.handler', name, () => run(handler, name, input, call))
}

/** A run that asks the user something ends with what is asked. */
function asking(run: RunHandler): RunHandler {
  return (handler, name, input, call) =>
    call.questions === undefined
      ? run(handler, name, input, call)
      : call.questions.during(() => run(handler, name, input, call))
}

function runnerInside(around: readonly Around[]): RunHandler {
  if (around.length === 0) {
    return (handler, _name, input, call) => {
      call.dispatched = true
      return handler(input, call)
    }
  }
  return (handler, name, input, call) => {
    call.dispatched = true
    const pending: PendingCall = { method: call.envelope.method, name, input, context: call }
    const step = (index: number): unknown => {
      const outer = around[index]
      if (outer === undefined) return handler(input, call)
      return outer(pending, () => heard(step, index + 1))
    }
    return step(0)
  }
}

/** One that nobody waits for must not end the process when it rejects. */
function heard(step: (index: number) => unknown, index: number): Promise<unknown> {
  const running = (async () => await step(index))()
  running.catch(() => undefined)
  return running
}
