import { CastellanError } from '../errors.js'
import { readChallenges, type Challenge } from './challenge-reader.js'
import { parseScope } from './scope.js'

/** What a resource server says to a client it turns away (RFC 6750 §3, RFC 9728 §5.1, RFC 9449 §7.1). */
export interface ReceivedChallenge {
  readonly scheme: 'bearer' | 'dpop'
  /** As received: it is a claim of the server until it has been checked. */
  readonly resourceMetadata?: string
  /** Everything the operation needs, each once, in the order received. */
  readonly scope?: readonly string[]
  readonly error?: string
}

const mostScopes = 64
const errorCode = /^[\x20-\x21\x23-\x5b\x5d-\x7e]{1,64}$/

/**
 * The challenge that counts among all `WWW-Authenticate` lines: of the scheme that was used before the other, the first that
 * names metadata before the first; undefined when there is none.
 *
 * A challenge whose `scope` breaks the grammar or holds more than 64 names is none. Descriptions are not read. Throws
 * `CastellanError` (`ERR_DISCOVERY`) when challenges name different metadata.
 */
export function receivedChallenge(
  lines: string | readonly string[],
  used: ReceivedChallenge['scheme'] = 'bearer',
): ReceivedChallenge | undefined {
  const read = readChallenges(lines).flatMap(understood)
  const addresses = read.flatMap(({ resourceMetadata }) => resourceMetadata ?? [])
  if (new Set(addresses).size > 1)
    throw new CastellanError('ERR_DISCOVERY', 'The challenges of the resource name different metadata')
  return (used === 'dpop' ? (['dpop', 'bearer'] as const) : (['bearer', 'dpop'] as const))
    .map((scheme) => read.filter((challenge) => challenge.scheme === scheme))
    .map((same) => same.find(({ resourceMetadata }) => resourceMetadata !== undefined) ?? same[0])
    .find((challenge) => challenge !== undefined)
}

/** Whether a server asks for the same request again with the nonce it gave (RFC 9449 §9). */
export function asksForNonce(lines: string | readonly string[]): boolean {
  return readChallenges(lines).some(
    ({ scheme, parameters }) => scheme === 'dpop' && parameters.get('error') === 'use_dpop_nonce',
  )
}

function understood({ scheme, token68, parameters }: Challenge): ReceivedChallenge[] {
  if ((scheme !== 'bearer' && scheme !== 'dpop') || token68 !== undefined) return []
  const scopes = parseScope(parameters.get('scope') ?? '')
  if (scopes === undefined || scopes.length > mostScopes) return []
  const resourceMetadata = parameters.get('resource_metadata')
  const error = parameters.get('error')
  if (error !== undefined && !errorCode.test(error)) return []
  return [
    {
      scheme,
      ...(resourceMetadata !== undefined && { resourceMetadata }),
      ...(scopes.length > 0 && { scope: Object.freeze([...new Set(scopes)]) }),
      ...(error !== undefined && { error }),
    },
  ]
}
