import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'
import { beforeAll, describe, expect, test } from 'vitest'

/** A ```ts block of a page, as a file that may import the others. */
interface Sample {
  readonly page: string
  /** Line of the page on which the code begins. */
  readonly line: number
  readonly file: string
  readonly code: string
}

const root = join(import.meta.dirname, '..')
const samplesFolder = join(root, 'docs', 'samples')
const pages = ['README.md', ...readdirSync(join(root, 'docs')).map((name) => `docs/${name}`)].filter((name) =>
  name.endsWith('.md'),
)

/** What a reader need not see stands in `<!-- with … -->` right before the block. */
const block = /(?:<!-- with\n(?<hidden>.*?)-->\n+)?^```ts\n(?<code>.*?)^```$/gms

function samplesOf(page: string): Sample[] {
  const text = readFileSync(join(root, page), 'utf8')
  return Array.from(text.matchAll(block), ({ index, 0: whole, groups }, count) => {
    const { hidden = '', code = '' } = groups ?? {}
    const named = /^\/\/ ([\w-]+\.ts)\b/.exec(code)?.[1]
    const before = text.slice(0, index + whole.indexOf('```ts\n'))
    return {
      page,
      line: before.split('\n').length + 1 - hidden.split('\n').length + 1,
      file: named ?? `${page.replace(/^docs\//, '').replace('.md', '')}-${count + 1}.ts`,
      code: hidden + code,
    }
  })
}

const samples = pages.flatMap(samplesOf)

/** Type-checks all samples in one program, as files of this package, which never touch the disk. */
function compile(): readonly ts.Diagnostic[] {
  const { config } = ts.readConfigFile(join(root, 'tsconfig.json'), (path) => ts.sys.readFile(path))
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, root)
  const files = new Map(samples.map(({ file, code }) => [join(samplesFolder, file), code]))
  const settings = { ...options, noUnusedLocals: false, noUnusedParameters: false }
  const host = ts.createCompilerHost(settings)
  host.readFile = (path) => files.get(path) ?? ts.sys.readFile(path)
  host.fileExists = (path) => files.has(path) || ts.sys.fileExists(path)
  host.directoryExists = (path) => path === samplesFolder || ts.sys.directoryExists(path)
  const program = ts.createProgram([...files.keys()], settings, host)
  return [...files.keys()].flatMap((path) => ts.getPreEmitDiagnostics(program, program.getSourceFile(path)))
}

function told({ file, start = 0, messageText }: ts.Diagnostic): string {
  const sample = samples.find((one) => join(samplesFolder, one.file) === file?.fileName)
  const line = (file?.getLineAndCharacterOfPosition(start).line ?? 0) + (sample?.line ?? 0)
  return `${sample?.page ?? file?.fileName ?? '?'}:${line} ${ts.flattenDiagnosticMessageText(messageText, '\n')}`
}

test('names of samples are unique, so that one may import another', () => {
  const names = samples.map(({ file }) => file)
  expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([])
})

describe('code in README.md and docs/', () => {
  let diagnostics: readonly ts.Diagnostic[]
  beforeAll(() => {
    diagnostics = compile()
  }, 60_000)

  test('every sample is checked', () => {
    const fences = pages.flatMap((page) => readFileSync(join(root, page), 'utf8').match(/^```ts\b/gm) ?? [])
    expect(samples.length).toBeGreaterThan(0)
    expect(samples).toHaveLength(fences.length)
  })

  test('every sample compiles', () => {
    expect(diagnostics.map(told)).toEqual([])
  })
})
