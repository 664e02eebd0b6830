/** The pieces of work that telemetry can be put around. */
type SpanName = 'mcp.request' | 'mcp.verify' | 'mcp.handler'

/**
 * Runs a piece of work and may watch it. `subject` is the method or the name of what is asked for, never a token and
 * never an argument.
 */
export type Span = <T>(name: SpanName, subject: string, work: () => T) => T
