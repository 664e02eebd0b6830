import { WireError } from '../errors.js'
import { isJsonObject, type JsonObject } from '../protocol/json.js'

/** Throws `ERR_CAPABILITY` unless the client declared the extension (MCP 2026-07-28, "Extensions"). */
export function requireExtension(id: string, declared: JsonObject): void {
  const extensions = declared['extensions']
  if (isJsonObject(extensions) && isJsonObject(extensions[id])) return
  throw new WireError('ERR_CAPABILITY', `The client must declare the extension ${id}`, {
    requiredCapabilities: { extensions: { [id]: {} } },
  })
}
