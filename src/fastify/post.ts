import { isUtf8 } from 'node:buffer'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { WireError } from '../errors.js'
import type { JsonObject } from '../protocol/json.js'
import { readAccept, type Acceptance } from '../protocol/media-type.js'
import { errorReply, parseBody } from '../protocol/message.js'
import { requestId } from '../protocol/request-id.js'
import type { HeaderReader } from '../protocol/revision.js'
import type { Guard } from '../resource-server/guard.js'
import type { DispatchContext } from '../server/call.js'
import type { McpRequest } from '../server/dispatch.js'
import type { McpServer } from '../server/server.js'
import { answerError } from './error-answer.js'
import type { Auditor } from './audit.js'
import { reject } from './authenticate-request.js'
import { Exchange } from './exchange.js'
import { principalKey } from './request-principal.js'
import type { RunningCalls } from './running-calls.js'

/** What a POST is answered with. */
export interface Post {
  readonly server: McpServer
  readonly guard: Guard | undefined
  readonly running: RunningCalls
  readonly audit: Auditor | undefined
}

/** Handles a POST whose sender was let in: parses the one message, dispatches it, writes the answer. */
export function postHandler({ server, guard, running, audit }: Post) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const accepts = acceptance(request.raw.headers.accept)
    if (!accepts.json && !accepts.stream) return answerError(reply, new WireError('ERR_ACCEPT'))
    let message: McpRequest
    try {
      message = readMessage(request)
    } catch (error) {
      if (error instanceof WireError) return answerError(reply, error)
      throw error
    }
    const exchange = new Exchange(request, reply, accepts, running)
    if (audit !== undefined) exchange.judged = judgedBy(audit, request)
    const answer = await server.dispatch(message, exchange)
    if (answer.kind === 'accepted') return reply.code(202).send()
    if (answer.kind === 'result') return exchange.answer(200, answer.payload)
    if (answer.kind === 'error') return exchange.answer(answer.status, answer.payload)
    if (answer.kind === 'stream') return exchange.stream(answer.open)
    if (guard !== undefined) return reject(reply, guard.forbid(answer.scopes))
    return exchange.answer(200, errorReply(message.id, -32603, 'Internal error'))
  }
}

function judgedBy(audit: Auditor, request: FastifyRequest): NonNullable<DispatchContext['judged']> {
  return (granted, method, name) => {
    audit(request, {
      ...(granted ? { outcome: 'allowed' } : { outcome: 'refused', reason: 'insufficient-scope' }),
      operation: { method, ...(name === undefined ? {} : { name }) },
      principal: request[principalKey],
    })
  }
}

function readMessage(request: FastifyRequest): McpRequest {
  const bytes = request.body as Buffer
  if (!isUtf8(bytes)) throw new WireError('ERR_PARSE', 'The body is not UTF-8')
  const text = bytes.toString()
  const body: JsonObject = parseBody(text)
  return { body, id: requestId(body, text), headers: mcpHeaders(request) }
}

/** Handlers get no way to the credentials of a request, so only headers of the protocol can be read. */
function mcpHeaders({ raw }: FastifyRequest): HeaderReader {
  return (name) => {
    const value = name.startsWith('mcp-') ? raw.headers[name] : undefined
    return typeof value === 'string' ? value : undefined
  }
}

const mostRemembered = 64
const remembered = new Map<string, Acceptance>()

/** Clients send one of a few `Accept` headers, so reading them is remembered. */
function acceptance(header: string | undefined): Acceptance {
  if (header === undefined) return readAccept(undefined)
  let accepts = remembered.get(header)
  if (accepts === undefined) {
    accepts = readAccept(header)
    if (remembered.size < mostRemembered && header.length < 200) remembered.set(header, accepts)
  }
  return accepts
}
