import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { createInterface } from 'node:readline'

/** Without `taskset` or a second core nothing is pinned, and ratios mean less. */
export const canPin = spawnSync('taskset', ['-c', '1', 'true']).status === 0

/** Starts a compiled program on one core. */
export function pinned(
  core: 0 | 1,
  file: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv = {},
): ChildProcess {
  const command = [process.execPath, file, ...args]
  const [program = '', ...rest] = canPin ? ['taskset', '-c', String(core), ...command] : command
  return spawn(program, rest, {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, NODE_ENV: 'production', NODE_OPTIONS: '', ...env },
  })
}

/** The first line a child prints. */
export async function firstLine(child: ChildProcess): Promise<string> {
  if (child.stdout === null) throw new Error('The child has no output')
  for await (const line of createInterface({ input: child.stdout })) return line
  throw new Error('The child ended before it said anything')
}

export async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return
  const gone = new Promise((resolve) => child.once('exit', resolve))
  child.kill('SIGKILL')
  await gone
}
