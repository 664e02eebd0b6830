import { namesAudience } from '../named-audience.js'
import { oneOf, refuse, texts } from '../option-checks.js'
import type { JwtResourceServerOptions } from './options.js'

/** For whom a token must be. */
export interface AudienceRules {
  readonly audiences: ReadonlySet<string>
  /** Whether `aud` may name nothing else. */
  readonly onlyKnownAudiences: boolean
  /** The clients whose tokens need no `aud`. */
  readonly clients: ReadonlySet<string> | undefined
}

export function audienceRules(
  resource: string,
  options: Partial<JwtResourceServerOptions<unknown>>,
): AudienceRules {
  const { audienceMode = 'contains', audienceClaim = 'aud' } = options
  oneOf('audienceMode', audienceMode, ['contains', 'only-known'])
  oneOf('audienceClaim', audienceClaim, ['aud', 'client_id'])
  const accepted = texts('acceptedAudiences', options.acceptedAudiences ?? [])
  const byClient = audienceClaim === 'client_id'
  if (byClient && accepted.length === 0)
    refuse('acceptedAudiences', "must name the clients with `audienceClaim: 'client_id'`")
  return {
    audiences: new Set(byClient ? [resource] : [resource, ...accepted]),
    onlyKnownAudiences: audienceMode === 'only-known',
    clients: byClient ? new Set(accepted) : undefined,
  }
}

/** Whether a token is for this resource (RFC 9068 §4, RFC 8707 §2). */
export function isForUs(
  { aud, client_id: client }: { readonly aud?: unknown; readonly client_id?: unknown },
  { audiences, onlyKnownAudiences, clients }: AudienceRules,
): boolean {
  if (clients !== undefined && !(typeof client === 'string' && clients.has(client))) return false
  if (clients !== undefined && aud === undefined) return true
  if (!namesAudience(aud, audiences)) return false
  return !onlyKnownAudiences || [aud].flat().every((entry) => audiences.has(entry as string))
}
