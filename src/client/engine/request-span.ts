/** What a span is told about a request: never arguments, tokens or addresses. */
interface RequestFacts {
  readonly method: string
  /** The tool, prompt, resource or task it is about. */
  readonly name: string | undefined
}

/** Trace context to send along, such as `traceparent`. */
type TraceContext = Readonly<Record<string, string>>

/** Surrounds every single request; telemetry goes here. */
export type RequestSpan = <T>(facts: RequestFacts, work: (trace: TraceContext) => Promise<T>) => Promise<T>

const nothing: TraceContext = Object.freeze({})

/** No telemetry. */
export const noSpan: RequestSpan = (_facts, work) => work(nothing)
