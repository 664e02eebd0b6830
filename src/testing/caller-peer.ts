import type { JsonObject } from '../protocol/json.js'

/** What a peer answers: a result, a JSON-RPC error, or nothing because the connection breaks after the request. */
export type PeerAnswer =
  | { readonly result: JsonObject }
  | { readonly error: { readonly code: number; readonly message: string; readonly data?: unknown } }
  | { readonly lost: true }

/** The server behind a caller under test, speaking 2026-07-28, reduced to methods and answers. Carry it as you like. */
export interface CallerPeer {
  /** Takes one request with its parameters, `_meta` included, and answers it. */
  answer(method: string, params: JsonObject): Promise<PeerAnswer>
}

export interface PeerRequest {
  readonly method: string
  readonly params: JsonObject
}

/** How a peer answers the methods of one check; a list is told in order and its last answer repeats. */
export type PeerScript = Readonly<
  Record<
    string,
    PeerAnswer | readonly PeerAnswer[] | ((params: JsonObject) => PeerAnswer | Promise<PeerAnswer>)
  >
>

/** A peer that answers by a script and keeps what it was asked, look-ups aside. */
export interface ScriptedPeer extends CallerPeer {
  readonly seen: readonly PeerRequest[]
}

export const tool = 'echo'

const lookUps: PeerScript = {
  'server/discover': {
    result: {
      resultType: 'complete',
      supportedVersions: ['2026-07-28'],
      capabilities: { tools: {}, extensions: { 'io.modelcontextprotocol/tasks': {} } },
      serverInfo: { name: 'caller-kit', version: '1.0.0' },
      ttlMs: 0,
      cacheScope: 'private',
    },
  },
  'tools/list': {
    result: {
      resultType: 'complete',
      tools: [{ name: tool, description: 'Says it again', inputSchema: { type: 'object' } }],
      ttlMs: 0,
      cacheScope: 'private',
    },
  },
}

/** Makes the peer of one check: one tool, `echo`, that takes any object. */
export function scriptedPeer(script: PeerScript): ScriptedPeer {
  const seen: PeerRequest[] = []
  return {
    seen,
    async answer(method, params) {
      const lookUp = lookUps[method]
      if (lookUp !== undefined) return told(lookUp, params, 1)
      seen.push({ method, params: structuredClone(params) })
      const reply = script[method]
      if (reply === undefined) return { error: { code: -32601, message: `Method not found: ${method}` } }
      return told(reply, params, seen.filter((request) => request.method === method).length)
    },
  }
}

async function told(reply: PeerScript[string], params: JsonObject, count: number): Promise<PeerAnswer> {
  if (typeof reply === 'function') return reply(params)
  if (!isList(reply)) return structuredClone(reply)
  const answer = reply[Math.min(count, reply.length) - 1]
  if (answer === undefined) throw new RangeError('The script is empty')
  return structuredClone(answer)
}

function isList(reply: PeerAnswer | readonly PeerAnswer[]): reply is readonly PeerAnswer[] {
  return Array.isArray(reply)
}
