import { jwtResourceServer, type ResourceServer } from 'castellan/resource-server'
import { issuer, resource } from '../workload.js'

/** The one JWT check every protected contender uses; the parent process holds the private key. */
export function jwtCheck(): ResourceServer {
  return jwtResourceServer({ resource, issuer, keys: JSON.parse(process.env['BENCH_KEYS'] ?? '') })
}
