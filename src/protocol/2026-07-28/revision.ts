import type { WireError } from '../../errors.js'
import { metaKey } from '../meta.js'
import type { ResultBody, Revision, ToolOutcome } from '../revision.js'
import { open } from './envelope.js'
import { checkName, checkParameters } from './headers.js'

/** MCP 2026-07-28: stateless, every request carries its version, its capabilities and its mirrored headers. */
export const modern: Revision = {
  version: '2026-07-28',
  disconnectCancels: true,
  asks: true,
  objectResults: false,
  open,
  checkName,
  checkParameters,
  encode,
  toolResult,
  failure: (error: WireError) => ({ status: error.http, rpc: error.rpc }),
}

function encode(body: ResultBody, serverInfo: string): string {
  const members = body.members === '' ? '' : `${body.members},`
  const cache =
    body.cache === undefined ? '' : `"ttlMs":${body.cache.ttlMs},"cacheScope":"${body.cache.scope}",`
  const own = body.meta === undefined ? '' : ownMeta(body.meta)
  return `{"resultType":"${body.resultType ?? 'complete'}",${members}${cache}"_meta":{${own}"${metaKey.serverInfo}":${serverInfo}}}`
}

function ownMeta(meta: Readonly<Record<string, unknown>>): string {
  const json = JSON.stringify(meta)
  return json === '{}' ? '' : `${json.slice(1, -1)},`
}

/**
 * Structured values travel as they are; unless the author chose the content they are repeated as text, and an array
 * or a scalar always is (SEP-2106).
 */
function toolResult(outcome: ToolOutcome): ResultBody {
  const { structured, content, authored } = outcome
  let members: string
  if (structured === undefined) members = `"content":[${content}]`
  else if (authored && structured.startsWith('{')) {
    members = `"content":[${content}],"structuredContent":${structured}`
  } else {
    const text = `{"type":"text","text":${JSON.stringify(structured)}}`
    members = `"content":[${content === '' ? text : `${content},${text}`}],"structuredContent":${structured}`
  }
  if (outcome.isError === true) members += ',"isError":true'
  return outcome.meta === undefined ? { members } : { members, meta: outcome.meta }
}
