import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { outsideEnvironment, repository } from './packed-package.js'

const readme = await readFile(join(repository, 'README.md'), 'utf8')

function fenced(language: string): string[] {
  return [...readme.matchAll(new RegExp('^```' + language + '\\n([\\s\\S]*?)^```', 'gm'))].map(
    (match) => match[1]!,
  )
}

/** The first two TypeScript samples of README.md, verbatim. */
export function samples(): { notes: string; server: string } {
  const [notes = '', server = ''] = fenced('ts')
  return { notes, server }
}

/** The packages README.md says to install. */
export function packagesToInstall(): string[] {
  const line = fenced('sh')
    .flatMap((block) => block.split('\n'))
    .find((line) => line.startsWith('npm install '))
  return line?.split(' ').slice(2) ?? []
}

/** Where the sample server is to stand instead of where README.md puts it. */
export interface Place {
  readonly resource: string
  readonly issuer: string
  readonly port: number
}

/** Changes the two URLs and the port of the server sample and lets it trust loopback; each must be there once. */
export function placed(server: string, { resource, issuer, port }: Place): string {
  const changes = [
    ["'https://api.example.com/mcp'", `'${resource}'`],
    ["'https://login.example.com'", `'${issuer}', allowLoopbackHttp: true`],
    ['port: 3000', `port: ${port}`],
  ] as const
  return changes.reduce((text, [from, to]) => {
    if (text.split(from).length !== 2) throw new Error(`README.md does not say ${from} once`)
    return text.replace(from, to)
  }, server)
}

/** Writes the samples to a folder. */
export async function writeSamples(folder: string, place: Place): Promise<void> {
  const { notes, server } = samples()
  await writeFile(join(folder, 'notes.ts'), notes)
  await writeFile(join(folder, 'server.ts'), placed(server, place))
}

/** A program that was started and said it listens. */
export interface RunningProgram {
  stop(): Promise<void>
}

/** Runs a TypeScript file in its folder until it says it listens. */
export async function runUntilListening(folder: string, file: string): Promise<RunningProgram> {
  const tsx = pathToFileURL(createRequire(import.meta.url).resolve('tsx')).href
  const child = spawn(process.execPath, ['--import', tsx, file], { cwd: folder, env: outsideEnvironment() })
  await said(child, 'Server listening at')
  return {
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return
      const gone = once(child, 'exit')
      child.kill()
      await gone
    },
  }
}

function said(child: ChildProcess, words: string): Promise<void> {
  let output = ''
  return new Promise((resolve, reject) => {
    const listen = (chunk: Buffer) => {
      output += chunk.toString()
      if (output.includes(words)) resolve()
    }
    child.stdout?.on('data', listen)
    child.stderr?.on('data', listen)
    child.once('exit', (code) => reject(new Error(`It ended with ${String(code)}:\n${output}`)))
  })
}
