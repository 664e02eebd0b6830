import { cp, mkdir, readFile, readdir, writeFile } from 'node:fs/promises'
import { createRequire, isBuiltin } from 'node:module'
import { dirname, join, normalize } from 'node:path'
import { publint } from 'publint'
import ts from 'typescript'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { emptyFolder, install, packInto, repository, run, type PackedPackage } from './packed-package.js'

const require = createRequire(import.meta.url)
const slow = 300_000
/** Used inside the repository only, to run sources without a build. */
const sourceCondition = 'castellan:source'

let folder: { path: string; remove: () => Promise<void> }
let packed: PackedPackage
/** What a user may import. */
let subpaths: string[]
/** The package as npm installed it beside its peers. */
let installed: string
let manifest: {
  exports: Record<string, string | Record<string, string>>
  dependencies: Record<string, string>
  peerDependencies: Record<string, string>
  peerDependenciesMeta: Record<string, { optional?: boolean }>
}

beforeAll(async () => {
  folder = await emptyFolder()
  packed = await packInto(folder.path)
  const app = join(folder.path, 'app')
  await mkdir(app)
  await writeFile(join(app, 'package.json'), '{ "private": true, "type": "module" }')
  await install(app, [packed.tarball, 'fastify', 'zod'])
  installed = join(app, 'node_modules/castellan')
  manifest = JSON.parse(await readFile(join(installed, 'package.json'), 'utf8'))
  subpaths = Object.keys(manifest.exports)
    .filter((path) => path !== './package.json')
    .map((path) => path.replace('.', 'castellan'))
}, slow)
afterAll(() => folder.remove())

const textOf = (file: string) => readFile(join(installed, file), 'utf8')
const compiled = () => packed.files.filter((file) => /\.(?:js|d\.ts)$/.test(file))

/** What a compiled file imports, statically or not. */
async function imports(file: string): Promise<string[]> {
  return ts.preProcessFile(await textOf(file)).importedFiles.map(({ fileName }) => fileName)
}

const packageOf = (name: string) => name.split('/', name.startsWith('@') ? 2 : 1).join('/')

describe('the tarball', () => {
  test('holds the compiled form of each source file, the readable pages, and nothing else', async () => {
    const sources = await readdir(join(packed.source, 'src'), { recursive: true })
    const modules = sources.filter((file) => file.endsWith('.ts')).map((file) => file.replace(/\.ts$/, ''))
    const expected = [
      ...['CHANGELOG.md', 'LICENSE', 'README.md', 'package.json'],
      ...modules.flatMap((name) => [`dist/${name}.d.ts`, `dist/${name}.js`]),
    ]
    expect([...packed.files].sort()).toEqual(expected.sort())
  })

  test('stays below 600 kB packed and 2 MB unpacked', () => {
    console.log(`packed ${packed.size} B, unpacked ${packed.unpackedSize} B, ${packed.files.length} files`)
    expect(packed.size).toBeLessThan(600_000)
    expect(packed.unpackedSize).toBeLessThan(2_000_000)
  })

  test('points at no source map, since it has none', async () => {
    for (const file of compiled()) expect(await textOf(file), file).not.toContain('sourceMappingURL')
  })

  test('has a file behind every relative import', async () => {
    const missing: string[] = []
    for (const file of compiled()) {
      for (const name of (await imports(file)).filter((name) => name.startsWith('.'))) {
        const target = normalize(join(dirname(file), name))
        const wanted = file.endsWith('.d.ts') ? target.replace(/\.js$/, '.d.ts') : target
        if (!packed.files.includes(wanted)) missing.push(`${file} → ${name}`)
      }
    }
    expect(missing).toEqual([])
  })

  test('imports only packages it names, and uses each that npm installs with it', async () => {
    const { dependencies, peerDependencies, peerDependenciesMeta } = manifest
    const isOptional = (name: string) => peerDependenciesMeta[name]?.optional === true
    const named = new Set<string>()
    for (const file of compiled()) {
      for (const name of await imports(file)) if (!name.startsWith('.')) named.add(packageOf(name))
    }
    const known = [...Object.keys(dependencies), ...Object.keys(peerDependencies)]
    expect([...named].filter((name) => !isBuiltin(name) && !known.includes(name))).toEqual([])
    expect(known.filter((name) => !isOptional(name) && !named.has(name))).toEqual([])
  })
})

describe('package.json of the tarball', () => {
  test('every export names files that are there, types first', () => {
    const broken = Object.entries(manifest.exports).flatMap(([path, target]) => {
      const conditions = typeof target === 'string' ? { default: target } : target
      return Object.entries(conditions)
        .filter(([condition]) => condition !== sourceCondition)
        .filter(([, file]) => !packed.files.includes(file.replace(/^\.\//, '')))
        .map(([condition]) => `${path} ${condition}`)
    })
    expect(broken).toEqual([])
    for (const target of Object.values(manifest.exports).filter((target) => typeof target !== 'string')) {
      expect(Object.keys(target)).toEqual([sourceCondition, 'types', 'default'])
    }
  })

  test('publint finds nothing to say', { timeout: slow }, async () => {
    const bytes = await readFile(packed.tarball)
    const tarball = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength)
    const { messages } = await publint({ strict: true, pack: { tarball } })
    expect(messages).toEqual([])
  })

  test('the types of every entry are what an ESM importer gets', { timeout: slow }, async () => {
    const attw = join(dirname(require.resolve('@arethetypeswrong/cli/package.json')), 'dist/index.js')
    const options = ['--profile', 'esm-only', '--format', 'json']
    const told = await run(repository, process.execPath, [attw, packed.tarball, ...options])
    const { analysis } = JSON.parse(told)
    expect(Object.keys(analysis.entrypoints)).toEqual(expect.arrayContaining(Object.keys(manifest.exports)))
  })
})

describe('installed beside its peers', () => {
  test('every subpath is imported by plain node, and is all that can be', { timeout: slow }, async () => {
    const app = join(installed, '../..')
    expect(subpaths).toEqual(expect.arrayContaining(['castellan', 'castellan/fastify']))
    await writeFile(
      join(app, 'imports.js'),
      `const counts = {}
      for (const path of ${JSON.stringify(subpaths)}) counts[path] = Object.keys(await import(path)).length
      const inside = await import('castellan/dist/errors.js').catch((error) => error.code)
      console.log(JSON.stringify({ counts, inside }))`,
    )
    const { counts, inside } = JSON.parse(await run(app, process.execPath, ['imports.js']))
    for (const path of subpaths) expect(counts[path], path).toBeGreaterThan(0)
    expect(inside).toBe('ERR_PACKAGE_PATH_NOT_EXPORTED')
  })

  test(
    'the root entry reaches nothing but zod, and works where nothing else is',
    { timeout: slow },
    async () => {
      const reached = new Set<string>(['dist/index.js'])
      const outside = new Set<string>()
      for (const file of reached) {
        for (const name of await imports(file)) {
          if (name.startsWith('.')) reached.add(normalize(join(dirname(file), name)))
          else outside.add(name)
        }
      }
      expect([...outside].map(packageOf).filter((name) => name !== 'zod')).toEqual([])
      const bare = join(folder.path, 'bare')
      await cp(installed, join(bare, 'node_modules/castellan'), { recursive: true })
      await cp(join(installed, '../zod'), join(bare, 'node_modules/zod'), { recursive: true })
      await writeFile(
        join(bare, 'define.mjs'),
        `import { defineTool } from 'castellan'
      import { z } from 'zod'
      console.log(defineTool({ name: 'a', description: 'A', input: z.object({ b: z.string() }) }).name)`,
      )
      expect(await run(bare, process.execPath, ['define.mjs'])).toBe('a\n')
    },
  )
})
