import { WireError } from '../errors.js'
import { isJsonObject, type JsonObject } from '../protocol/json.js'

/** Whether a client declared the extension. */
export function declaresExtension(id: string, declared: JsonObject): boolean {
  const extensions = declared['extensions']
  return isJsonObject(extensions) && isJsonObject(extensions[id])
}

/** Throws `ERR_CAPABILITY` unless the client declared the extension (MCP 2026-07-28, "Extensions"). */
export function requireExtension(id: string, declared: JsonObject): void {
  if (declaresExtension(id, declared)) return
  throw new WireError('ERR_CAPABILITY', `The client must declare the extension ${id}`, {
    requiredCapabilities: { extensions: { [id]: {} } },
  })
}
