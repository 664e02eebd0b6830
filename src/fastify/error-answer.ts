import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { WireError, type CastellanError } from '../errors.js'
import { errorReply } from '../protocol/message.js'

const bodyErrors: ReadonlyMap<string, WireError> = new Map([
  ['FST_ERR_CTP_BODY_TOO_LARGE', new WireError('ERR_BODY_SIZE')],
  ['FST_ERR_CTP_INVALID_CONTENT_LENGTH', new WireError('ERR_BODY', 'Content-Length does not match the body')],
  ['FST_ERR_CTP_INVALID_MEDIA_TYPE', new WireError('ERR_MEDIA_TYPE')],
  ['FST_ERR_CTP_EMPTY_TYPE', new WireError('ERR_MEDIA_TYPE')],
])

/** Answers with a JSON-RPC error of its own HTTP status, without an id. */
export function answerError(reply: FastifyReply, error: WireError): FastifyReply {
  return reply
    .code(error.http)
    .headers({ 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' })
    .send(errorReply(undefined, error.rpc, error.message, error.data))
}

/**
 * Tells bodies that cannot be read in JSON-RPC; every other error, such as one from a hook of the host, goes on to
 * the host's error handler.
 */
export function errorHandler(
  error: FastifyError | CastellanError,
  _request: FastifyRequest,
  reply: FastifyReply,
) {
  const known = error instanceof WireError ? error : bodyErrors.get(error.code)
  if (known !== undefined) return answerError(reply, known)
  if (!(error instanceof Error)) reply.code(statusOf(error, reply))
  throw error
}

/** What is thrown again without being an error is sent by Fastify as it is, and would be a success. */
function statusOf(thrown: unknown, { statusCode: chosen }: FastifyReply): number {
  const { statusCode } = Object(thrown) as { statusCode?: unknown }
  const told = typeof statusCode === 'number' ? statusCode : chosen
  return Number.isInteger(told) && told >= 400 && told <= 599 ? told : 500
}
