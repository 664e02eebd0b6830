import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { everythingServer } from './everything-server.js'
import { freePort } from './free-port.js'
import { listedEntries } from './listed-entries.js'
import { runOfficialSuite } from './official-runner.js'
import { bearerProxy } from './proxy.js'
import { printLeg } from './report.js'
import { requiredScenarios, type Revision } from './requirements.js'
import { verdict } from './verdict.js'

type Mount = 'open' | 'protected'

const revisions: readonly Revision[] = ['2026-07-28', '2025-11-25']

async function runLeg(revision: Revision, mount: Mount): Promise<boolean> {
  const excusesFile = fileURLToPath(new URL(`./excused-${revision}.yaml`, import.meta.url))
  const excuses = listedEntries(await readFile(excusesFile, 'utf8'))
  const run = await withServer(mount, (url) => runOfficialSuite(url, revision, excusesFile))
  const judgement = verdict(run.scenarios, excuses)
  printLeg(`server ${revision}, ${mount}`, judgement, requiredScenarios(revision))
  if (run.exitCode !== 0) console.log(`The official runner exited with ${run.exitCode}`)
  if (run.scenarios.length === 0) console.log(run.output)
  return judgement.isGood && run.exitCode === 0
}

async function withServer<T>(mount: Mount, use: (url: string) => Promise<T>): Promise<T> {
  const [port, proxyPort] = [await freePort(), await freePort()]
  const server = await everythingServer({
    port,
    isProtected: mount === 'protected',
    originPorts: [proxyPort],
  })
  const proxy =
    server.token === undefined ? undefined : await bearerProxy(proxyPort, server.url, server.token)
  try {
    return await use(proxy ? `http://localhost:${proxyPort}/mcp` : server.url.href)
  } finally {
    await proxy?.close()
    await server.close()
  }
}

function chosenRevisions([side, revision]: readonly string[]): readonly Revision[] {
  if (side === undefined) return revisions
  const chosen = revisions.filter((known) => known === revision || revision === undefined)
  if (side === 'server' && chosen.length > 0) return chosen
  throw new Error(`Usage: npm run conformance [-- server ${revisions.join('|')}]`)
}

const failed: string[] = []
for (const revision of chosenRevisions(process.argv.slice(2))) {
  for (const mount of ['open', 'protected'] as const) {
    if (!(await runLeg(revision, mount))) failed.push(`server ${revision}, ${mount}`)
  }
}
console.log(
  failed.length === 0 ? '\nConformance: every leg is good' : `\nConformance failed: ${failed.join('; ')}`,
)
process.exitCode = failed.length === 0 ? 0 : 1
