import { exactIssuer } from '../../oauth/exact-url.js'
import type { Registration } from '../../oauth/registration/registration.js'
import { RegistrationError } from '../errors.js'
import { fromHost } from '../from-host.js'

/**
 * Which client to be: one registration, several in order of preference, or what the host decides for an issuer that a
 * resource names. The library never registers by itself.
 */
export type Registrations = Registration | readonly Registration[] | RegistrationFor

/** What the host decides for one issuer; undefined when it does not want to be its client. */
type RegistrationFor = (issuer: string) => Registration | undefined | Promise<Registration | undefined>

const mostAsked = 8

/**
 * The registration to use at a resource that names these authorization servers, compared byte for byte with the issuer
 * and its aliases: the first of the operator's that is named, or the first named one that the host has a registration for.
 *
 * Throws `RegistrationError` when there is none. RFC 9728 §7.6.
 */
export async function chooseRegistration(
  registrations: Registrations,
  offered: readonly string[],
): Promise<Registration> {
  const chosen =
    typeof registrations === 'function'
      ? await ask(registrations, offered)
      : [registrations].flat().find((registration) => offered.some((issuer) => isFor(registration, issuer)))
  if (chosen !== undefined) return chosen
  throw new RegistrationError(`There is no registration for ${hosts(offered)}`, offered)
}

/** The one registration there is; undefined when there are several, or the host decides. */
export function onlyRegistration(registrations: Registrations): Registration | undefined {
  if (typeof registrations === 'function') return undefined
  const [first, second] = [registrations].flat()
  return second === undefined ? first : undefined
}

async function ask(
  registrationFor: RegistrationFor,
  offered: readonly string[],
): Promise<Registration | undefined> {
  for (const issuer of offered.filter(isIssuer).slice(0, mostAsked)) {
    const registration = await fromHost(() => registrationFor(issuer))
    if (registration === undefined) continue
    if (isFor(registration, issuer)) return registration
    throw new RegistrationError(`The registration given for ${hosts([issuer])} is for another issuer`, [
      issuer,
    ])
  }
  return undefined
}

function isFor({ issuer, quirks }: Registration, named: string): boolean {
  return issuer === named || quirks.issuerAliases?.includes(named) === true
}

function isIssuer(issuer: string): boolean {
  try {
    exactIssuer('issuer', issuer, { allowLoopbackHttp: true })
    return true
  } catch {
    return false
  }
}

function hosts(issuers: readonly string[]): string {
  const known = issuers.filter((issuer) => URL.canParse(issuer)).map((issuer) => new URL(issuer).host)
  return known.length === 0 ? 'an authorization server the resource names' : known.slice(0, 3).join(', ')
}
