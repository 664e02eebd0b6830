import type { AuthorizationServer } from 'oauth4webapi'
import { DefinitionError } from '../../errors.js'
import { isReservedParameter } from '../authorization-parameters.js'
import { isScopeToken } from '../scope.js'

/** What an operator writes in place of metadata that a server does not publish, by its names in RFC 8414 §2. */
type MetadataOverride = Readonly<
  Pick<
    AuthorizationServer,
    | 'authorization_endpoint'
    | 'token_endpoint'
    | 'revocation_endpoint'
    | 'response_types_supported'
    | 'grant_types_supported'
    | 'token_endpoint_auth_methods_supported'
    | 'token_endpoint_auth_signing_alg_values_supported'
    | 'code_challenge_methods_supported'
    | 'scopes_supported'
    | 'authorization_response_iss_parameter_supported'
  >
>

/** When the next place of a metadata document is asked: a status, or an answer 200 that is not JSON. */
export type AdvanceOn = 401 | 403 | 405 | 410 | 'not-json'

/** How one authorization server differs from the specifications. Everything left out is done as they say. */
export interface IssuerQuirks {
  /** Other spellings of the issuer that resources name in their metadata. */
  readonly issuerAliases?: readonly string[]
  /** Used instead of fetching metadata. */
  readonly metadataOverride?: MetadataOverride
  /** Beside 404. For the metadata of this issuer; that of the resource is an option of the transport. */
  readonly advanceOn?: readonly AdvanceOn[]
  /** The server supports PKCE with S256 without saying so. Breaks a MUST of the specification; PKCE is sent all the same. */
  readonly assumePkceS256?: boolean
  /** The server takes public clients without saying so. */
  readonly assumeNoneAuth?: boolean
  /** The server supports the grant without saying so. */
  readonly assumeGrantType?: boolean
  /** Leave `resource` out, or send another one. Breaks a MUST of the specification. Default `send`. */
  readonly resourceParameter?: 'send' | 'omit' | { readonly value: string }
  /** Added to the authorization request; none of its own parameters. */
  readonly extraAuthorizationParams?: Readonly<Record<string, string>>
  /** Asked for whatever the resource says. */
  readonly scopeOverride?: readonly string[]
  /** Never asked for more than these. */
  readonly scopeCeiling?: readonly string[]
  /** Ask for `offline_access` where the server lists it. Default false. */
  readonly offlineAccess?: boolean
  /** Name the scopes in refresh requests. Default false. */
  readonly sendScopeOnRefresh?: boolean
  /** Take a token without `token_type` for a bearer token. */
  readonly assumeBearer?: boolean
  /** Also read token answers that are form-encoded. */
  readonly acceptFormEncodedTokenResponse?: boolean
  /** Lifetime of tokens that come without one. */
  readonly defaultExpiresInSeconds?: number
}

const advances: readonly unknown[] = [401, 403, 405, 410, 'not-json'] satisfies AdvanceOn[]

/** Checks quirks and freezes a copy. Throws `DefinitionError` (`ERR_OPTION`). */
export function checkedQuirks(quirks: IssuerQuirks): IssuerQuirks {
  for (const name of ['issuerAliases', 'scopeOverride', 'scopeCeiling'] as const) {
    const list: unknown = quirks[name]
    const isItem = name === 'issuerAliases' ? isText : isScopeToken
    if (list !== undefined && !(Array.isArray(list) && list.every(isItem))) refuse(name)
  }
  if (quirks.advanceOn?.every((reason) => advances.includes(reason)) === false) refuse('advanceOn')
  const { resourceParameter, extraAuthorizationParams = {}, defaultExpiresInSeconds: lifetime } = quirks
  if (Object.keys(extraAuthorizationParams).some(isReservedParameter)) refuse('extraAuthorizationParams')
  if (!Object.values(extraAuthorizationParams).every((value) => typeof value === 'string'))
    refuse('extraAuthorizationParams')
  if (typeof resourceParameter === 'object' && !isText(resourceParameter.value)) refuse('resourceParameter')
  if (lifetime !== undefined && !(Number.isInteger(lifetime) && lifetime > 0))
    refuse('defaultExpiresInSeconds')
  return Object.freeze({ ...quirks })
}

const words = {
  issuerAliases: 'the issuer may be spelled differently in the metadata of resources',
  metadataOverride: 'metadata is taken from the configuration instead of the server',
  advanceOn: 'a refused or unreadable metadata document counts as missing',
  assumePkceS256: 'PKCE support is assumed where the server does not announce it (a MUST of MCP)',
  assumeNoneAuth: 'public clients are assumed to be taken',
  assumeGrantType: 'the grant type is assumed to be supported',
  resourceParameter: '`resource` is not sent as the resource names itself (a MUST of MCP)',
  assumeBearer: 'a token without `token_type` counts as a bearer token',
  acceptFormEncodedTokenResponse: 'token answers may be form-encoded',
} as const satisfies Partial<Record<keyof IssuerQuirks, string>>

/** What quirks relax, a sentence each; none for quirks that relax nothing. For a host to print when it starts. */
export function relaxations(quirks: IssuerQuirks): readonly string[] {
  return Object.entries(words).flatMap(([name, sentence]) => {
    const value = quirks[name as keyof typeof words]
    const isDefault = value === undefined || value === false || value === 'send'
    return isDefault ? [] : [`${name}: ${sentence}`]
  })
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && value !== ''
}

function refuse(name: keyof IssuerQuirks): never {
  throw new DefinitionError(`\`quirks.${name}\` is not valid`, 'ERR_OPTION')
}
