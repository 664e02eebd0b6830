import { writeFile } from 'node:fs/promises'
import { compiled } from './compiled.js'
import { askOnce, startContender } from './contender.js'
import { requestBytes } from './workload.js'

/** Saves what Castellan answers to `tools/list` of 1,000 tools, for the server that sends it from a string. */
export async function saveListBytes(token: string, env: NodeJS.ProcessEnv): Promise<string> {
  const server = await startContender({ file: 'servers/castellan.js', args: ['jwt', '1000'] }, env)
  try {
    const answer = await askOnce(server.port, requestBytes('tools/list', token))
    const file = compiled('list.json')
    await writeFile(file, answer.subarray(answer.indexOf('\r\n\r\n') + 4))
    return file
  } finally {
    await server.stop()
  }
}
