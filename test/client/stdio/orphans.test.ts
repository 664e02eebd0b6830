import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { describe, expect, test } from 'vitest'
import { fixture, gone } from './scripted.js'

/** Runs a parent that starts the scripted server and dies; tells the server's process id and how the parent ended. */
async function dying(how: string, ...args: string[]) {
  const command = [fixture('parent.mjs'), how, process.execPath, fixture('scripted-server.mjs'), ...args]
  const parent = spawn(process.execPath, command, { stdio: ['ignore', 'pipe', 'ignore'] })
  let output = ''
  parent.stdout.setEncoding('utf8').on('data', (chunk: string) => (output += chunk))
  const [code, signal] = (await once(parent, 'close')) as [number | null, string | null]
  return { pid: Number(output), end: signal ?? code }
}

describe('no process is left behind by a parent', () => {
  test.each([
    ['that exits', 'exit', 0, '--stubborn'],
    ['that dies of an uncaught exception', 'throw', 1, '--stubborn'],
    ['that is killed, since the server sees the end of its input', 'kill', 'SIGKILL'],
  ])('%s', async (_name, how, end, ...args) => {
    const parent = await dying(how, ...(args as string[]))
    expect(parent.end).toBe(end)
    expect(parent.pid).toBeGreaterThan(1)
    await gone(parent.pid)
  })

  test('and a parent that closes its channel ends by itself: no timer or handle keeps it', async () => {
    const parent = await dying('close')
    expect(parent.end).toBe(0)
    await gone(parent.pid)
  })
})
