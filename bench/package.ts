import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { compiled } from './compiled.js'
import { firstLine, pinned } from './pinned.js'
import type { PackageRow } from './row.js'

export interface PackageResult {
  /** From the import statement to what it gives, in a process that imported nothing before. */
  readonly milliseconds: number
  /** Everything the package exports with all it needs, minified. */
  readonly kilobytes: number
}

const processes = 5

/** Imports a package in fresh processes and bundles it. */
export async function measurePackage({ specifier }: PackageRow): Promise<PackageResult> {
  const times: number[] = []
  for (let turn = 0; turn < processes; turn += 1) {
    times.push(Number(await firstLine(pinned(0, compiled('imported.js'), [specifier]))))
  }
  times.sort((a, b) => a - b)
  return { milliseconds: times[(processes - 1) / 2] ?? Number.NaN, kilobytes: await bundled(specifier) }
}

async function bundled(specifier: string): Promise<number> {
  const resolveDir = fileURLToPath(new URL('.', import.meta.url))
  const { outputFiles } = await build({
    stdin: { contents: `export * from '${specifier}'`, resolveDir },
    ...{ bundle: true, minify: true, write: false, platform: 'node', format: 'esm', logLevel: 'error' },
  })
  return (outputFiles[0]?.contents.length ?? Number.NaN) / 1000
}
