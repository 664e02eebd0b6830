import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'

const source = fileURLToPath(new URL('.', import.meta.url))
const target = fileURLToPath(new URL('../results/bench', import.meta.url))

/** Compiles this folder to plain JavaScript, so that what is measured runs on Node alone and on the built package. */
export async function compileBench(): Promise<void> {
  const files = await readdir(source, { recursive: true })
  await Promise.all(files.filter((file) => file.endsWith('.ts')).map(compile))
}

/** Where the compiled form of a file of this folder is. */
export function compiled(file: string): string {
  return join(target, file)
}

async function compile(file: string): Promise<void> {
  const text = await readFile(join(source, file), 'utf8')
  const { outputText } = ts.transpileModule(text, {
    compilerOptions: { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2023 },
  })
  const output = compiled(file.replace(/\.ts$/, '.js'))
  await mkdir(dirname(output), { recursive: true })
  await writeFile(output, outputText)
}
