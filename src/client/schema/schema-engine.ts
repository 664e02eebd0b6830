import type { AnySchemaObject, Options, ValidateFunction } from 'ajv'
import { mapSubschemas } from '../../protocol/subschemas.js'
import { safePattern } from './safe-pattern.js'
import type { Dialect } from './schema-bounds.js'
import { StepBudget } from './step-budget.js'
import { isUnique } from './unique-items.js'

/** What compiles the schemas of one dialect. It keeps none of them. */
interface Engine {
  readonly ajv: {
    compile(schema: AnySchemaObject): ValidateFunction
    removeSchema(schema: AnySchemaObject): unknown
  }
  readonly budget: StepBudget
}

const options: Options = {
  strict: false,
  allErrors: false,
  inlineRefs: false,
  validateFormats: false,
  ownProperties: true,
  addUsedSchema: false,
  logger: false,
}

const engines = new Map<Dialect, Promise<Engine>>()

/** The engine of a dialect, loaded when it is first needed. */
export function engineOf(dialect: Dialect): Promise<Engine> {
  const known = engines.get(dialect) ?? load(dialect)
  engines.set(dialect, known)
  return known
}

async function load(dialect: Dialect): Promise<Engine> {
  const { default: module } = await (dialect === 'draft-07' ? import('ajv') : import('ajv/dist/2020.js'))
  const isChecked = dialect === '2020-12'
  const budget = new StepBudget()
  const pattern = (source: string, flags: string) => safePattern(source, flags, () => budget.checkTime())
  const ajv = new module.default({
    ...options,
    ...(isChecked && { meta: false, validateSchema: false }),
    code: { regExp: Object.assign(pattern, { code: 'safePattern' }) },
  })
  budget.install(ajv)
  ajv.removeKeyword('uniqueItems')
  ajv.addKeyword({
    keyword: 'uniqueItems',
    type: 'array',
    schemaType: 'boolean',
    validate: (wanted: boolean, items: readonly unknown[]) => !wanted || isUnique(items),
  })
  return { ajv, budget }
}

/**
 * A copy in which a step is counted at every schema. Its `$id` is always the same and never kept, so that no two
 * documents of one engine meet (B066).
 */
export function counted(document: object): AnySchemaObject {
  const schema: AnySchemaObject = { ...document }
  delete schema['$schema']
  return { ...(withSteps(schema) as object), $id: 'castellan:schema' }
}

function withSteps(schema: unknown): unknown {
  if (typeof schema !== 'object' || schema === null || Array.isArray(schema)) return schema
  return { ...mapSubschemas(schema, withSteps), [StepBudget.keyword]: true }
}
