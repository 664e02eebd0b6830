import { WireError } from '../errors.js'
import { legacy } from './2025-11-25/revision.js'
import { modern } from './2026-07-28/revision.js'
import { stripOptionalWhitespace } from './header-value.js'
import { isJsonObject } from './json.js'
import { metaKey } from './meta.js'
import type { HeaderReader, Revision } from './revision.js'

/** The revisions a server may speak, newest first. */
export const revisions: readonly Revision[] = [modern, legacy]

/**
 * Finds the revision one request speaks, from that request alone: a version in `_meta` makes it modern, a bare
 * `initialize` or an older version header makes it legacy (MCP 2026-07-28, versioning, "Backward Compatibility").
 * Throws `ERR_VERSION` for a version header that is not served.
 */
export function revisionOf(
  method: string,
  params: unknown,
  headers: HeaderReader | undefined,
  served: readonly Revision[],
): Revision {
  const older = served.length > 1 ? legacy : undefined
  const header = versionHeader(headers)
  const claim = versionClaim(params)
  if (claim !== undefined)
    return older !== undefined && namesLegacy(claim.version, header, headers) ? older : modern
  if (header !== undefined && header >= modern.version && isVersion(header)) return modern
  if (older === undefined) {
    if (method === 'initialize') throw unsupported(initializeVersion(params), served)
    if (header !== undefined) throw unsupported(header, served)
    return modern
  }
  if (method === 'initialize' || header === undefined || header === older.version) return older
  throw unsupported(header, served)
}

/** A version that is not served is answered with those that are, newest first (`ERR_VERSION`). */
export function unsupported(requested: unknown, served: readonly Revision[]): WireError {
  const supported = served.map(({ version }) => version)
  const shown = typeof requested === 'string' ? requested.slice(0, 64) : ''
  return new WireError('ERR_VERSION', `Protocol version ${JSON.stringify(shown)} is not served`, {
    supported,
    requested,
  })
}

/** The version the body claims, whatever its type. */
function versionClaim(params: unknown): { version: unknown } | undefined {
  if (!isJsonObject(params)) return undefined
  const meta = params['_meta']
  if (!isJsonObject(meta) || !Object.hasOwn(meta, metaKey.protocolVersion)) return undefined
  return { version: meta[metaKey.protocolVersion] }
}

/** A modern envelope naming the older revision is served as that when the header agrees, instead of looping. */
function namesLegacy(
  version: unknown,
  header: string | undefined,
  headers: HeaderReader | undefined,
): boolean {
  return version === legacy.version && (headers === undefined || header === legacy.version)
}

function versionHeader(headers: HeaderReader | undefined): string | undefined {
  const raw = headers?.('mcp-protocol-version')
  return raw === undefined ? undefined : stripOptionalWhitespace(raw)
}

function isVersion(header: string): boolean {
  return /^\d{4}-\d{2}-\d{2}$/.test(header)
}

function initializeVersion(params: unknown): unknown {
  return isJsonObject(params) ? params['protocolVersion'] : undefined
}
