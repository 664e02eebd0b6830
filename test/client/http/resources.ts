import { setImmediate } from 'node:timers/promises'

const watched = new Set(['TCPSocketWrap', 'TCPServerWrap', 'TCPConnectWrap', 'TLSWrap', 'Timeout'])

/** What keeps the event loop going: sockets, servers, timers. */
export function held(): string[] {
  return process
    .getActiveResourcesInfo()
    .filter((resource) => watched.has(resource))
    .sort()
}

/** Waits until no more is held than before; a leak lets the test time out. */
export async function settled(before: readonly string[]): Promise<void> {
  const count = (list: readonly string[], kind: string) => list.filter((resource) => resource === kind).length
  const holdsMore = (now: readonly string[]) => now.some((kind) => count(now, kind) > count(before, kind))
  while (holdsMore(held())) await setImmediate()
}
