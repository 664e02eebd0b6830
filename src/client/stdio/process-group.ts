import type { ChildProcess } from 'node:child_process'

/** Whether a child leads a process group of its own, so that a wrapper and what it started end together. */
export const ownGroup = process.platform !== 'win32'

const running = new Set<ChildProcess>()

/** Signals a child and everything in its group. Does nothing when all of it is gone. */
export function signalGroup(child: ChildProcess, signal: 'SIGTERM' | 'SIGKILL'): void {
  if (child.pid === undefined) return
  if (!ownGroup) child.kill(signal)
  else reaches(child.pid, signal)
}

/** Whether anything of the group is left, the child included. */
export function groupLives(child: ChildProcess): boolean {
  if (child.pid === undefined) return false
  if (!ownGroup) return child.exitCode === null && child.signalCode === null
  return reaches(child.pid, 0)
}

function reaches(leader: number, signal: 'SIGTERM' | 'SIGKILL' | 0): boolean {
  try {
    return process.kill(-leader, signal)
  } catch {
    return false
  }
}

/** Ends the group when this process exits before `release` is called. */
export function endWithThisProcess(child: ChildProcess): void {
  if (running.size === 0) process.on('exit', endAll)
  running.add(child)
}

/** The group ended by itself. */
export function release(child: ChildProcess): void {
  running.delete(child)
  if (running.size === 0) process.off('exit', endAll)
}

function endAll(): void {
  for (const child of running) signalGroup(child, 'SIGKILL')
}
