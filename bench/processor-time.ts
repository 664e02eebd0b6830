import { readFileSync } from 'node:fs'

/** Microseconds another process has worked; Linux counts them in hundredths of a second. */
export function usedBy(pid: number): number {
  try {
    const [user, system] =
      readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ').slice(11, 13) ?? []
    return (Number(user) + Number(system)) * 10_000
  } catch {
    return Number.NaN
  }
}

/** Microseconds this process has worked. */
export function usedHere(): number {
  const { user, system } = process.cpuUsage()
  return user + system
}
