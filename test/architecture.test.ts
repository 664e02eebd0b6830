import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize, relative } from 'node:path'
import { describe, expect, test } from 'vitest'

const root = join(import.meta.dirname, '../src')

/** The layers from the ground up; folders of one layer know nothing of each other. */
const layers = [
  ['errors.ts'],
  ['network'],
  ['protocol', 'oauth'],
  ['contract', 'store'],
  ['resource-server', 'transports'],
  ['server', 'client'],
  ['fastify'],
  ['tasks', 'skills', 'apps', 'gomode', 'agent'],
  ['testing', 'cli'],
]

const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'))
const specifier = /(?:from|import)\s*\(?\s*'([^']+)'/g

function imports(file: string): string[] {
  return [...readFileSync(join(root, file), 'utf8').matchAll(specifier)].map((match) => match[1]!)
}

function localImports(file: string): string[] {
  return imports(file)
    .filter((name) => name.startsWith('.'))
    .map((name) => normalize(join(dirname(file), name)).replace(/\.js$/, '.ts'))
}

function rankOf(file: string): number {
  const place = file.split('/')[0]!
  return layers.findIndex((layer) => layer.includes(place))
}

describe('the import graph', () => {
  test('every file stands in a layer', () => {
    expect(files.filter((file) => file !== 'index.ts' && rankOf(file) === -1)).toEqual([])
  })

  test('imports point downward only', () => {
    const upward = files
      .filter((file) => file !== 'index.ts')
      .flatMap((file) =>
        localImports(file)
          .filter((target) => {
            const sameFolder = target.split('/')[0] === file.split('/')[0]
            return !sameFolder && rankOf(target) >= rankOf(file)
          })
          .map((target) => `${file} → ${target}`),
      )
    expect(upward).toEqual([])
  })

  test('no file imports itself through others', () => {
    const cycles: string[] = []
    const state = new Map<string, 'open' | 'done'>()
    const visit = (file: string, path: string[]): void => {
      if (state.get(file) === 'done') return
      if (state.get(file) === 'open') {
        cycles.push([...path.slice(path.indexOf(file)), file].join(' → '))
        return
      }
      state.set(file, 'open')
      for (const target of localImports(file)) visit(target, [...path, file])
      state.set(file, 'done')
    }
    for (const file of files) visit(file, [])
    expect(cycles).toEqual([])
  })

  test('every import names a file that exists', () => {
    const known = new Set(files)
    expect(files.flatMap((file) => localImports(file).filter((target) => !known.has(target)))).toEqual([])
  })

  test('the root entry reaches neither Node built-ins nor fastify, keyv or undici', () => {
    const reached = new Set<string>()
    const visit = (file: string): void => {
      if (reached.has(file)) return
      reached.add(file)
      localImports(file).forEach(visit)
    }
    visit('index.ts')
    const packages = new Set([...reached].flatMap(imports).filter((name) => !name.startsWith('.')))
    expect([...packages].filter((name) => !name.startsWith('zod'))).toEqual([])
    for (const file of reached) {
      expect(readFileSync(join(root, file), 'utf8'), file).not.toMatch(/\b(?:Buffer|process)\b[.[]/)
    }
  })
})

describe('the rooms', () => {
  test('nothing is called utils, helpers, common or types', () => {
    expect(files.filter((file) => /(?:^|\/)(?:utils?|helpers?|common|types)(?:\/|\.ts$)/.test(file))).toEqual(
      [],
    )
  })

  test('names are kebab-case', () => {
    expect(files.filter((file) => !/^[a-z0-9/.-]+$/.test(relative('.', file)))).toEqual([])
  })

  test('no file is longer than 350 lines', () => {
    const long = files.filter((file) => readFileSync(join(root, file), 'utf8').split('\n').length > 350)
    expect(long).toEqual([])
  })
})
