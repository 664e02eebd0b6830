import { WireError } from '../errors.js'
import { legacy } from '../protocol/2025-11-25/revision.js'
import { isJsonObject, type JsonObject } from '../protocol/json.js'
import { capabilities, type Discovery } from './discovery.js'
import type { Method } from './method.js'

/** Methods only 2025-11-25 has. The handshake is answered and forgotten: there are no sessions. */
export function legacyMethods(discovery: Discovery): ReadonlyMap<string, Method> {
  const offered = { ...capabilities(discovery.catalog), extensions: undefined }
  const members = JSON.stringify({
    protocolVersion: legacy.version,
    capabilities: offered,
    serverInfo: JSON.parse(discovery.serverInfo) as unknown,
    instructions: discovery.instructions,
  }).slice(1, -1)
  return new Map<string, Method>([
    ['initialize', { run: (call) => (checkHandshake(call.envelope.params), { members }) }],
    ['ping', { run: () => ({ members: '' }) }],
  ])
}

function checkHandshake(params: JsonObject): void {
  const { protocolVersion, capabilities: declared, clientInfo } = params
  if (typeof protocolVersion !== 'string' || protocolVersion === '') {
    throw new WireError('ERR_PARAMS', '`protocolVersion` must be a version')
  }
  if (!isJsonObject(declared)) throw new WireError('ERR_PARAMS', '`capabilities` must be an object')
  if (
    isJsonObject(clientInfo) &&
    typeof clientInfo['name'] === 'string' &&
    typeof clientInfo['version'] === 'string'
  ) {
    return
  }
  throw new WireError('ERR_PARAMS', '`clientInfo` must have a name and a version')
}
