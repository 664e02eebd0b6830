import { WireError } from '../../errors.js'
import { isJsonObject, type JsonObject } from '../json.js'
import { metaKey } from '../meta.js'
import type { Envelope, HeaderReader, ProgressToken } from '../revision.js'
import { checkMethod, checkVersion } from './headers.js'

/** Characters of a progress token, which every report repeats. */
const longestProgressToken = 1024

const logLevels = new Set(['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'])

/** Reads `_meta` first, then compares the headers with it, so that a malformed request is told so before anything. */
export function open(method: string, params: unknown, headers: HeaderReader | undefined): Envelope {
  if (!isJsonObject(params)) throw new WireError('ERR_META', '`params` must be an object with `_meta`')
  const meta = params['_meta']
  if (!isJsonObject(meta)) throw new WireError('ERR_META', '`params._meta` must be an object')
  const version = requiredVersion(meta)
  const capabilities = meta[metaKey.clientCapabilities]
  if (!isJsonObject(capabilities)) {
    throw new WireError('ERR_META', `\`_meta["${metaKey.clientCapabilities}"]\` must be an object`)
  }
  checkClientInfo(meta[metaKey.clientInfo])
  checkLogLevel(meta[metaKey.logLevel])
  const progressToken = readProgressToken(meta[metaKey.progressToken])
  if (headers !== undefined) {
    checkVersion(version, headers)
    checkMethod(method, headers)
  }
  return progressToken === undefined
    ? { version, method, params, capabilities }
    : { version, method, params, capabilities, progressToken }
}

function requiredVersion(meta: JsonObject): string {
  const version = meta[metaKey.protocolVersion]
  if (typeof version === 'string' && version !== '') return version
  throw new WireError('ERR_META', `\`_meta["${metaKey.protocolVersion}"]\` must be a version`)
}

function checkClientInfo(info: unknown): void {
  if (info === undefined) return
  if (isJsonObject(info) && typeof info['name'] === 'string' && typeof info['version'] === 'string') return
  throw new WireError('ERR_META', `\`_meta["${metaKey.clientInfo}"]\` must have a name and a version`)
}

function checkLogLevel(level: unknown): void {
  if (level === undefined || (typeof level === 'string' && logLevels.has(level))) return
  throw new WireError('ERR_META', `\`_meta["${metaKey.logLevel}"]\` is not a log level`)
}

/** A progress token is echoed, so a number must be one that a double holds exactly. */
export function readProgressToken(token: unknown): ProgressToken | undefined {
  if (token === undefined) return token
  if (typeof token === 'string' && token.length <= longestProgressToken) return token
  if (typeof token === 'number' && Number.isSafeInteger(token)) return token
  throw new WireError(
    'ERR_META',
    `\`_meta.progressToken\` must be an integer within ±(2^53−1) or at most ${longestProgressToken} characters`,
  )
}
