import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { authorizationServer, type AuthorizationServer } from '../../examples/notes/authorization-server.js'
import { freePort } from '../conformance/free-port.js'
import { modern, post, read } from '../wire.js'
import {
  packagesToInstall,
  runUntilListening,
  samples,
  writeSamples,
  type RunningProgram,
} from './newcomer-folder.js'
import { emptyFolder, install, packInto, repository, run, type PackedPackage } from './packed-package.js'

const slow = 300_000

let folder: { path: string; remove: () => Promise<void> }
let packed: PackedPackage
let authorization: AuthorizationServer
let port: number
let resource: string

beforeAll(async () => {
  folder = await emptyFolder()
  packed = await packInto(folder.path)
  port = await freePort()
  resource = `http://127.0.0.1:${port}/mcp`
  authorization = await authorizationServer({
    port: await freePort(),
    resource,
    scopes: ['notes:read', 'notes:write'],
  })
}, slow)
afterAll(async () => {
  await authorization.close()
  await folder.remove()
})

/** An ESM folder with what README.md says to install, and the samples in it. */
async function newcomerFolder(name: string, packages: readonly string[]): Promise<string> {
  const path = join(folder.path, name)
  await mkdir(path)
  await writeFile(join(path, 'package.json'), '{ "private": true, "type": "module" }')
  await install(path, packages)
  await writeSamples(path, { resource, issuer: authorization.issuer, port })
  return path
}

async function accessToken(scope: string): Promise<string> {
  const { clientId, clientSecret } = authorization.client
  const response = await fetch(`${authorization.issuer}/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${btoa(`${clientId}:${clientSecret}`)}` },
    body: new URLSearchParams({ grant_type: 'client_credentials', resource, scope }),
  })
  const { access_token: token } = (await response.json()) as { access_token: string }
  return token
}

const listNotes = (authorizationHeader?: string) =>
  modern(
    'tools/call',
    { name: 'list_notes', arguments: {} },
    { headers: authorizationHeader === undefined ? {} : { authorization: authorizationHeader } },
  )

/** The story of a newcomer: turned away, shown the way, let in. */
async function protectedCall(): Promise<void> {
  const refused = await post(resource, listNotes())
  expect(refused.status).toBe(401)
  const metadataUrl = `http://127.0.0.1:${port}/.well-known/oauth-protected-resource/mcp`
  expect(refused.headers.get('www-authenticate')).toContain(`resource_metadata="${metadataUrl}"`)

  const metadata = await read(await fetch(metadataUrl))
  expect(metadata.json).toMatchObject({ resource, authorization_servers: [authorization.issuer] })

  const unscoped = await post(resource, listNotes(`Bearer ${await accessToken('notes:write')}`))
  expect(unscoped.status).toBe(403)
  expect(unscoped.headers.get('www-authenticate')).toContain('scope="notes:read"')

  const answered = await post(resource, listNotes(`Bearer ${await accessToken('notes:read')}`))
  expect(answered.status).toBe(200)
  expect(answered.json.result).toMatchObject({ structuredContent: { notes: [] } })
}

describe("README's server, pasted into an empty folder", () => {
  let path: string
  let program: RunningProgram | undefined
  afterAll(() => program?.stop())

  test('needs only the packages README says to install', { timeout: slow }, async () => {
    const packages = packagesToInstall()
    expect(packages).toContain('castellan')
    path = await newcomerFolder(
      'pasted',
      packages.map((name) => (name === 'castellan' ? packed.tarball : name)),
    )
    program = await runUntilListening(path, 'server.ts')
  })

  test('turns a caller away without a token and answers one who got a token', protectedCall)

  test('runs on the oldest Fastify and zod the package allows', { timeout: slow }, async () => {
    await program?.stop()
    const oldest = await newcomerFolder('oldest', [packed.tarball, 'fastify@5.0.0', 'zod@4.6.0'])
    program = await runUntilListening(oldest, 'server.ts')
    await protectedCall()
    await program.stop()
  })
})

describe('the types of the package', () => {
  let path: string
  beforeAll(async () => {
    const compilers = ['5.9', '6.0', '7'].map((version) => `typescript-${version}@npm:typescript@${version}`)
    const types = ['@types/node@20', ...compilers]
    path = await newcomerFolder('typed', [packed.tarball, 'fastify', 'zod', ...types])
    await writeFile(join(path, 'notes.ts'), samples().notes)
    await writeFile(join(path, 'server.ts'), samples().server)
    const contract = 'contract.types.ts'
    await copyFile(join(repository, 'test/typing', contract), join(path, contract))
    await writeFile(join(path, 'every-entry.ts'), await everyEntry())
    const options = {
      ...{ target: 'ES2023', module: 'NodeNext', types: ['node'], noEmit: true },
      ...{ strict: true, exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true },
      skipLibCheck: false,
    }
    const files = ['notes.ts', 'server.ts', contract, 'every-entry.ts']
    await writeFile(join(path, 'tsconfig.json'), JSON.stringify({ compilerOptions: options, files }))
  }, slow)

  test.for(['5.9', '6.0', '7'])(
    "README's samples, every entry and the mistakes that must not compile are right for TypeScript %s, declarations included",
    { timeout: slow },
    async (version) => {
      const compiler = `node_modules/typescript-${version}/bin/tsc`
      expect(await run(path, process.execPath, [compiler, '--version'])).toContain(`Version ${version}`)
      expect(await run(path, process.execPath, [compiler, '-p', '.'])).toBe('')
    },
  )
})

/** Imports everything, so that the declarations of every entry are checked. */
async function everyEntry(): Promise<string> {
  const { exports } = JSON.parse(await readFile(join(packed.source, 'package.json'), 'utf8'))
  const entries = Object.keys(exports).filter((path) => path !== './package.json')
  const lines = entries.map((path, n) => `import * as entry${n} from '${path.replace('.', 'castellan')}'`)
  return `${lines.join('\n')}\nvoid [${entries.map((_, n) => `entry${n}`).join(', ')}]\n`
}
