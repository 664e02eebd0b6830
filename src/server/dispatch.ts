import type { ScopeAlternatives } from '../oauth/scope.js'
import type { StringValues } from '../contract/schema/json-schema.js'
import { satisfies } from '../oauth/scope.js'
import { WireError } from '../errors.js'
import type { JsonObject } from '../protocol/json.js'
import { errorReply, messageKind } from '../protocol/message.js'
import { revisionOf, unsupported } from '../protocol/negotiation.js'
import type { Envelope, HeaderReader, Revision } from '../protocol/revision.js'
import { Call, type DispatchContext } from './call.js'
import { requireExtension } from './declared-extension.js'
import { PreparedResult, StreamedAnswer, type Method } from './method.js'
import { checkRoute } from './route.js'
import type { OpenAnswer } from './subscriptions/outlet.js'

/** One JSON-RPC message as its carrier read it. */
export interface McpRequest {
  readonly body: JsonObject
  /** JSON text of the request's id; absent for a notification. */
  readonly id?: string | undefined
  /** Reads the request's `Mcp-*` headers; absent where messages have none. */
  readonly headers?: HeaderReader
}

/** What to tell the caller. `status` is how Streamable HTTP says it. */
export type Answer =
  | { readonly kind: 'result'; readonly payload: string | Buffer }
  | { readonly kind: 'error'; readonly status: number; readonly payload: string }
  | { readonly kind: 'stream'; readonly open: OpenAnswer }
  | { readonly kind: 'accepted' }
  | { readonly kind: 'forbidden'; readonly scopes: ScopeAlternatives }

/** What a dispatcher knows: the methods of each revision and who may call what. */
export interface Dispatcher {
  readonly served: readonly Revision[]
  readonly methods: ReadonlyMap<Revision, ReadonlyMap<string, Method>>
  readonly serverInfo: string
  /** Scopes of whatever declares none; undefined when anyone may call. */
  readonly basicScopes: ScopeAlternatives | undefined
  /** Whether a caller learns nothing of what its scopes do not allow. */
  readonly hideUnauthorized: boolean
  /** Checks the values in the URL. */
  readonly route: StringValues | undefined
}

/** Answers one message: envelope, version, method, scopes, parameters, handler, in that order. Never rejects. */
export async function dispatch(
  server: Dispatcher,
  request: McpRequest,
  context: DispatchContext,
): Promise<Answer> {
  let revision = server.served[0]
  let call: Call | undefined
  try {
    const kind = messageKind(request.body)
    const { method = '', params } = request.body as { method?: string; params?: unknown }
    revision = revisionOf(method, params, request.headers, server.served)
    if (kind === 'notification') return { kind: 'accepted' }
    if (kind === 'response') return acceptResponse(revision)
    const envelope = revision.open(method, params, request.headers)
    if (envelope.version !== revision.version) throw unsupported(envelope.version, server.served)
    const operation = findMethod(server, revision, envelope, request.headers)
    call = new Call(revision, envelope, request.headers, context)
    const access = judge(server, operation, call)
    context.judged?.(access === 'granted', envelope.method, operation.named?.(envelope.params))
    if (typeof access !== 'string') return { kind: 'forbidden', scopes: access }
    if (access === 'hidden' && operation.unknown === undefined) throw unknownMethod(envelope.method)
    await checkRoute(call, server.route)
    if (access === 'hidden') throw operation.unknown?.(envelope.params) ?? new WireError('ERR_TARGET')
    const result = await operation.run(call)
    if (result instanceof StreamedAnswer) return { kind: 'stream', open: result.to(request.id ?? 'null') }
    const json = result instanceof PreparedResult ? result.bytes : revision.encode(result, server.serverInfo)
    return { kind: 'result', payload: reply(request.id ?? 'null', json) }
  } catch (error) {
    return failed(error, request, revision, call, context)
  } finally {
    call?.finish()
  }
}

/** Older clients post responses to requests we never send; those are ignored (2025-11-25, transports). */
function acceptResponse(revision: Revision): Answer {
  if (revision.objectResults) return { kind: 'accepted' }
  throw new WireError('ERR_REQUEST', 'A client sends no responses')
}

function findMethod(
  server: Dispatcher,
  revision: Revision,
  envelope: Envelope,
  headers: HeaderReader | undefined,
): Method {
  const method = server.methods.get(revision)?.get(envelope.method)
  if (method === undefined) throw unknownMethod(envelope.method)
  if (method.nameParameter !== undefined) revision.checkName(envelope.params[method.nameParameter], headers)
  if (method.extension !== undefined) requireExtension(method.extension, envelope.capabilities)
  return method
}

function unknownMethod(name: string): WireError {
  return new WireError('ERR_METHOD', `Method not found: ${name.slice(0, 64)}`)
}

/** Whether a caller may go on, or the scopes it lacks. Where things are hidden, one out of reach does not exist. */
function judge(
  server: Dispatcher,
  method: Method,
  { envelope, principal }: Call,
): 'granted' | 'hidden' | ScopeAlternatives {
  const basic = server.basicScopes
  if (basic === undefined) return 'granted'
  const held = principal?.scopes
  const own = method.scopes?.(envelope.params)
  const lacks = (scopes: ScopeAlternatives) => held === undefined || !satisfies(held, scopes)
  if (!lacks(own ?? basic)) return 'granted'
  if (own === undefined || !server.hideUnauthorized) return own ?? basic
  return lacks(basic) ? basic : 'hidden'
}

const closing = Buffer.from('}')

function reply(id: string, result: string | Buffer): string | Buffer {
  const head = `{"jsonrpc":"2.0","id":${id},"result":`
  return typeof result === 'string'
    ? `${head}${result}}`
    : Buffer.concat([Buffer.from(head), result, closing])
}

function failed(
  error: unknown,
  request: McpRequest,
  revision: Revision | undefined,
  call: Call | undefined,
  context: DispatchContext,
): Answer {
  const failure = wireError(error, call, context)
  const { status, rpc } = revision?.failure(failure) ?? { status: failure.http, rpc: failure.rpc }
  const payload = errorReply(request.id, rpc, failure.message, failure.data)
  const hasStatus = call?.dispatched !== true || failure.code === 'ERR_CAPABILITY'
  return { kind: 'error', status: hasStatus ? status : 200, payload }
}

/** The error to tell. Anything can be thrown, even what cannot be looked at or logged. */
function wireError(error: unknown, call: Call | undefined, { log }: DispatchContext): WireError {
  const method = call?.envelope.method
  try {
    if (error instanceof WireError) return error
    log.error({ err: error, method }, 'MCP handler failed')
  } catch {
    log.error({ method }, 'MCP handler failed with something that cannot be logged')
  }
  return new WireError('ERR_INTERNAL')
}
