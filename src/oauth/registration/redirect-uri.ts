import { DefinitionError } from '../../errors.js'
import { isLoopback } from '../exact-url.js'

const answerParameters = ['code', 'state', 'iss', 'error', 'error_description', 'error_uri', 'response']

/**
 * Checks a redirect URI and returns it byte for byte: https, or http on a loopback host, in its exact serialisation,
 * without user name, password or fragment, and without a query parameter that an answer may have.
 *
 * Throws `DefinitionError` (`ERR_OPTION`). RFC 6749 §3.1.2, RFC 8252 §7.3.
 */
export function redirectUri(name: string, value: string): string {
  const url = URL.canParse(value) ? new URL(value) : undefined
  if (url?.href !== value || !(url.protocol === 'https:' || isLoopbackRedirect(value)))
    refuse(
      name,
      'must be an https URL, or an http one on a loopback host, written exactly as it is serialised',
    )
  if (url.username !== '' || url.password !== '' || value.includes('#'))
    refuse(name, 'must have neither credentials nor a fragment')
  if (answerParameters.some((parameter) => url.searchParams.has(parameter)))
    refuse(name, 'must not have a query parameter that the answer may have')
  return value
}

/** Whether a redirect URI leads to the machine of the user: the client is an installed program. */
export function isLoopbackRedirect(value: string): boolean {
  const url = new URL(value)
  return url.protocol === 'http:' && isLoopback(url)
}

function refuse(name: string, problem: string): never {
  throw new DefinitionError(`\`${name}\` ${problem}`, 'ERR_OPTION')
}
