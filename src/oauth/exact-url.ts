import { DefinitionError } from '../errors.js'

/** Which exceptions to the rules for identifiers the operator has typed out. */
export interface ExactUrlOptions {
  /** Also accept `http:` for 127.0.0.0/8, `[::1]` and `localhost`. Default false. */
  readonly allowLoopbackHttp?: boolean | undefined
}

const loopbackHost = /^(?:localhost|127\.\d{1,3}\.\d{1,3}\.\d{1,3}|\[::1\])$/

/** Whether the host of a parsed URL is 127.0.0.0/8, `[::1]` or `localhost`. */
export function isLoopback(url: URL): boolean {
  return loopbackHost.test(url.hostname)
}

/**
 * Checks an issuer identifier and returns it byte for byte.
 *
 * An absolute `https` URL in its exact serialisation, without userinfo, query or fragment. A trailing slash is
 * kept as written. Throws `DefinitionError` (`ERR_OPTION`) otherwise. RFC 8414 §2.
 */
export function exactIssuer(name: string, value: string, options: ExactUrlOptions = {}): string {
  parseExact(name, value, options)
  if (value.includes('?')) refuse(name, 'must not have a query')
  return value
}

/**
 * Checks a resource identifier and returns it byte for byte.
 *
 * As `exactIssuer`, but a query is allowed. Throws `DefinitionError` (`ERR_OPTION`). RFC 8707 §2, RFC 9728 §1.2.
 */
export function exactResource(name: string, value: string, options: ExactUrlOptions = {}): string {
  parseExact(name, value, options)
  return value
}

function parseExact(name: string, value: unknown, options: ExactUrlOptions): URL {
  if (typeof value !== 'string' || !URL.canParse(value)) refuse(name, 'must be an absolute URL')
  const url = new URL(value)
  if (
    url.protocol !== 'https:' &&
    !(url.protocol === 'http:' && options.allowLoopbackHttp && isLoopback(url))
  ) {
    refuse(name, 'must be https (http is only for loopback hosts, with allowLoopbackHttp)')
  }
  if (url.username !== '' || url.password !== '') refuse(name, 'must not hold a user name or password')
  if (value.includes('#')) refuse(name, 'must not have a fragment')
  if (url.href !== value && url.href !== `${value}/`) {
    refuse(
      name,
      'must be written exactly as a URL is serialised: lower-case host, no default port, no dot segments',
    )
  }
  return url
}

function refuse(name: string, problem: string): never {
  throw new DefinitionError(`\`${name}\` ${problem}`, 'ERR_OPTION')
}
