import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { runOfficialClientSuite } from './client-runner.js'
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

async function runClientLeg(revision: Revision): Promise<boolean> {
  const excusesFile = fileURLToPath(new URL(`./excused-client-${revision}.yaml`, import.meta.url))
  const excuses = listedEntries(await readFile(excusesFile, 'utf8'))
  const run = await runOfficialClientSuite(revision, excusesFile, excuses)
  const judgement = verdict(run.scenarios, excuses)
  printLeg(`client ${revision}`, judgement, requiredScenarios(revision, 'client'))
  for (const scenario of run.badExits) console.log(`BAD EXIT ${scenario}`)
  if (run.exitCode !== 0) console.log(`The official runner exited with ${run.exitCode}`)
  if (run.scenarios.length === 0) console.log(run.output)
  return judgement.isGood && run.exitCode === 0 && run.badExits.length === 0
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

function chosenLegs([side, revision]: readonly string[]) {
  const chosen = (known: readonly Revision[]) =>
    known.filter((one) => one === revision || revision === undefined)
  const server = side === undefined || side === 'server' ? chosen(revisions) : []
  const client = side === undefined || side === 'client' ? chosen(revisions) : []
  if (server.length + client.length > 0) return { server, client }
  throw new Error(
    `Usage: npm run conformance [-- server ${revisions.join('|')} | -- client ${revisions.join('|')}]`,
  )
}

const failed: string[] = []
const legs = chosenLegs(process.argv.slice(2))
for (const revision of legs.client) {
  if (!(await runClientLeg(revision))) failed.push(`client ${revision}`)
}
for (const revision of legs.server) {
  for (const mount of ['open', 'protected'] as const) {
    if (!(await runLeg(revision, mount))) failed.push(`server ${revision}, ${mount}`)
  }
}
console.log(
  failed.length === 0 ? '\nConformance: every leg is good' : `\nConformance failed: ${failed.join('; ')}`,
)
process.exitCode = failed.length === 0 ? 0 : 1
