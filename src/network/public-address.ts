import { BlockList, isIP } from 'node:net'

/** Not on the public internet: RFC 6890 and its registry, multicast, reserved, and one cloud's host agent. */
const closed = blockList('ipv4', [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['168.63.129.16', 32],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
])

/** The one part of IPv6 that is public, without what leads into IPv4 (6to4, Teredo) or is kept for examples. */
const globalUnicast = blockList('ipv6', [['2000::', 3]])
const closedUnicast = blockList('ipv6', [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
])

const privateUse4 = blockList('ipv4', [
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
])
const privateUse6 = blockList('ipv6', [
  ['::1', 128],
  ['fc00::', 7],
])
const loopback4 = blockList('ipv4', [['127.0.0.0', 8]])

/** The last 64 bits of an ISATAP address, which hold an IPv4 address (RFC 5214 §6.1), as URLs write them. */
const isatap = /(?:::|:0:|:[1-3]00:)5efe:(?:[0-9a-f]{1,4}:[0-9a-f]{1,4}|:)\]$/

/**
 * Whether an IP address is one of the public internet. IPv6 forms that hold an IPv4 address (mapped, NAT64, 6to4,
 * Teredo, ISATAP) never are.
 */
export function isPublicAddress(address: string): boolean {
  const family = isIP(address)
  if (family === 4) return !closed.check(address)
  if (family !== 6 || !URL.canParse(`http://[${address}]`)) return false
  return (
    globalUnicast.check(address, 'ipv6') &&
    !closedUnicast.check(address, 'ipv6') &&
    !isatap.test(new URL(`http://[${address}]`).hostname)
  )
}

/** Whether an IP address is one that organisations give out inside, or loopback. Never a link-local one. */
export function isPrivateUseAddress(address: string): boolean {
  const family = isIP(address)
  return family === 4 ? privateUse4.check(address) : family === 6 && privateUse6.check(address, 'ipv6')
}

/** Whether an IP address is 127.0.0.0/8 or ::1. */
export function isLoopbackAddress(address: string): boolean {
  return isIP(address) === 4 ? loopback4.check(address) : address === '::1'
}

function blockList(family: 'ipv4' | 'ipv6', subnets: readonly (readonly [string, number])[]): BlockList {
  const list = new BlockList()
  for (const [network, prefix] of subnets) list.addSubnet(network, prefix, family)
  return list
}
