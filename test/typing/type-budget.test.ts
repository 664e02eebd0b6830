import { join } from 'node:path'
import ts from 'typescript'
import { describe, expect, test } from 'vitest'
import { moduleOfTools } from './many-tools.js'

const repository = join(import.meta.dirname, '../..')
const file = join(import.meta.dirname, 'generated-tools.ts')

const impliedNodeFormat = ts.ModuleKind.ESNext

/**
 * What 300 tools may cost, 1.3 times what was measured on TypeScript 6.0.3: 455,116 instantiations and 86,568 types,
 * of which 112,119 and 24,482 are there with the first tool. Counts do not depend on the machine, as time does.
 */
const budget = { instantiations: 592_000, types: 113_000 }

interface TypeCheck {
  readonly errors: readonly string[]
  readonly instantiations: number
  readonly types: number
}

/** Type-checks one module that exists in memory only, with the options of this repository. */
function typeCheck(text: string): TypeCheck {
  const { config } = ts.readConfigFile(join(repository, 'tsconfig.json'), (path) => ts.sys.readFile(path))
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, repository)
  const host = ts.createCompilerHost(options)
  const disk = ts.createCompilerHost(options)
  host.getSourceFile = (path, ...rest) =>
    path === file
      ? ts.createSourceFile(path, text, { languageVersion: ts.ScriptTarget.ES2023, impliedNodeFormat })
      : disk.getSourceFile(path, ...rest)
  host.fileExists = (path) => path === file || disk.fileExists(path)
  host.readFile = (path) => (path === file ? text : disk.readFile(path))
  const program = ts.createProgram([file], options, host)
  const source = program.getSourceFile(file)
  const found = [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)]
  return {
    errors: found.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n')),
    instantiations: program.getInstantiationCount(),
    types: program.getTypeCount(),
  }
}

describe('300 tools in one file', () => {
  test('compile within the budget of types and instantiations', { timeout: 120_000 }, () => {
    const many = typeCheck(moduleOfTools(300))
    console.log(`300 tools: ${many.instantiations} instantiations, ${many.types} types`)
    expect(many.errors).toEqual([])
    expect(many.instantiations).toBeLessThan(budget.instantiations)
    expect(many.types).toBeLessThan(budget.types)
  })

  test('are checked, not skipped: a wrong return is an error', { timeout: 60_000 }, () => {
    const wrong = moduleOfTools(3).replace('total: 1', 'total: "one"')
    expect(typeCheck(wrong).errors).toHaveLength(1)
  })
})
