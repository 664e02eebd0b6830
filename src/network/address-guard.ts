import { lookup as systemLookup, type LookupAddress, type LookupOptions } from 'node:dns'
import { isIP, type LookupFunction } from 'node:net'
import { isLoopbackAddress, isPrivateUseAddress, isPublicAddress } from './public-address.js'

/** Which exceptions to "https on the public internet" the operator has typed out. */
export interface AddressRules {
  /** Also reach 127.0.0.0/8, ::1 and `localhost`, over http as well. Default false. */
  readonly allowLoopback?: boolean
  /** Host names, exactly as URLs write them, that may lead into a private network. Default none. */
  readonly allowHosts?: readonly string[]
}

/** Keeps requests to URLs that came from the network away from inner addresses. */
export interface AddressGuard {
  /** Whether a URL may be asked for, as far as can be told without resolving its name. */
  admits(url: string): boolean
  /** Resolves a name and fails unless all of its addresses may be reached; what it gives is what is connected to. */
  readonly lookup: LookupFunction
}

/** How a name becomes addresses. */
export type Resolver = (
  hostname: string,
  options: LookupOptions & { readonly all: true },
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void

/** A name leads where a request must not go. Says neither which address nor which name. */
export class AddressRefusedError extends Error {
  override readonly name = 'AddressRefusedError'

  constructor() {
    super('The address is not one that may be reached')
  }
}

/**
 * Makes a guard: https only, and only public addresses, however they are written.
 *
 * A name with one public and one inner address is refused as a whole, and every connection resolves anew.
 */
export function addressGuard(rules: AddressRules = {}, resolve: Resolver = systemLookup): AddressGuard {
  const { allowLoopback = false, allowHosts = [] } = rules
  const privateHosts = new Set(allowHosts)

  function mayReach(host: string, address: string): boolean {
    if (isPublicAddress(address)) return true
    if (allowLoopback && isLoopbackName(host)) return isLoopbackAddress(address)
    return privateHosts.has(host) && isPrivateUseAddress(address)
  }

  return {
    admits(address) {
      if (!URL.canParse(address)) return false
      const url = new URL(address)
      const host = bareHost(url.hostname)
      if (url.username !== '' || url.password !== '') return false
      const isLoopbackHttp = url.protocol === 'http:' && allowLoopback && isLoopbackName(host)
      if (url.protocol !== 'https:' && !isLoopbackHttp) return false
      return isIP(host) === 0 || mayReach(host, host)
    },
    lookup(hostname, options, callback) {
      const host = bareHost(hostname)
      resolve(hostname, { ...options, all: true }, (error, addresses) => {
        if (error !== null) {
          callback(error, '')
          return
        }
        const [first] = addresses
        if (first === undefined || !addresses.every(({ address }) => mayReach(host, address))) {
          callback(new AddressRefusedError(), '')
          return
        }
        if (options.all) callback(null, addresses)
        else callback(null, first.address, first.family)
      })
    },
  }
}

/** Without the brackets of IPv6 literals and without the dot that ends an absolute name. */
function bareHost(hostname: string): string {
  return hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '')
}

function isLoopbackName(host: string): boolean {
  return host === 'localhost' || isLoopbackAddress(host)
}
