import { oneOf, refuse, texts } from '../option-checks.js'
import type { JwtResourceServerOptions } from './options.js'
import { mediaType } from './token.js'

/** What a token must be, and where it says who its client is. */
export interface ProfileRules {
  readonly profile: 'rfc9068' | 'relaxed'
  readonly types: ReadonlySet<string>
  readonly allowMissingType: boolean
  /** The first of them that a token has names the client. */
  readonly clientIdClaims: readonly string[]
  readonly clientIdRequired: boolean
}

/** Types of other tokens that are signed JWTs, too. */
const foreignTypes = new Set([
  ...['logout+jwt', 'secevent+jwt', 'oauth-id-jag+jwt', 'dpop+jwt', 'client-authentication+jwt'],
  'token-introspection+jwt',
])

const relaxedOnly = ['allowedTyp', 'allowMissingTyp', 'clientIdClaims', 'audienceClaim'] as const

/** RFC 9068 §2 fixes everything; the relaxed profile leaves it to the options. */
export function profileRules(options: Partial<JwtResourceServerOptions<unknown>>): ProfileRules {
  const { profile = 'rfc9068', clientIdClaims } = options
  oneOf('profile', profile, ['rfc9068', 'relaxed'])
  if (profile === 'rfc9068') {
    const loose = relaxedOnly.find((name) => options[name] !== undefined)
    if (loose !== undefined) refuse(loose, "is only for `profile: 'relaxed'`")
    return {
      profile,
      types: new Set(['at+jwt']),
      allowMissingType: false,
      clientIdClaims: ['client_id'],
      clientIdRequired: true,
    }
  }
  return {
    profile,
    types: relaxedTypes(options.allowedTyp),
    allowMissingType: options.allowMissingTyp ?? false,
    clientIdClaims: texts('clientIdClaims', clientIdClaims ?? ['client_id', 'azp', 'cid', 'appid']),
    clientIdRequired: clientIdClaims !== undefined,
  }
}

function relaxedTypes(allowedTyp: readonly string[] | undefined): ReadonlySet<string> {
  if (allowedTyp === undefined) return refuse('allowedTyp', "is mandatory with `profile: 'relaxed'`")
  const types = texts('allowedTyp', allowedTyp).map(mediaType)
  const foreign = types.find((type) => foreignTypes.has(type))
  if (foreign !== undefined) refuse('allowedTyp', `holds ${foreign}, which is never an access token`)
  return new Set(types)
}
