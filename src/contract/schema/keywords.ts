import { isJsonObject, type JsonObject } from '../../protocol/json.js'

type Check = (value: unknown) => boolean

const simpleTypes = new Set(['array', 'boolean', 'integer', 'null', 'number', 'object', 'string'])

const isText: Check = (value) => typeof value === 'string'
const isNumber: Check = (value) => typeof value === 'number'
const isCount: Check = (value) => Number.isInteger(value) && Number(value) >= 0
const isFlag: Check = (value) => typeof value === 'boolean'
const isSchema: Check = (value) => typeof value === 'boolean' || isJsonObject(value)
const isNames: Check = (value) =>
  Array.isArray(value) && value.every(isText) && new Set(value).size === value.length
const isSchemas: Check = (value) => Array.isArray(value) && value.length > 0
const isType: Check = (value) =>
  Array.isArray(value)
    ? value.length > 0 && isNames(value) && value.every(isType)
    : simpleTypes.has(String(value))
const isPattern: Check = (value) => typeof value === 'string' && isUnicodePattern(value)

const checks = new Map<string, readonly [Check, string]>([
  ...keywords(
    isText,
    'text',
    '$schema $id $ref $anchor $dynamicRef $dynamicAnchor $comment title description format',
  ),
  ...keywords(isText, 'text', 'contentEncoding contentMediaType'),
  ...keywords(isNumber, 'a number', 'maximum minimum exclusiveMaximum exclusiveMinimum'),
  ...keywords((value) => isNumber(value) && Number(value) > 0, 'a number above 0', 'multipleOf'),
  ...keywords(isCount, 'a whole number', 'maxLength minLength maxItems minItems maxProperties minProperties'),
  ...keywords(isCount, 'a whole number', 'maxContains minContains'),
  ...keywords(isFlag, 'true or false', 'uniqueItems readOnly writeOnly deprecated'),
  ...keywords((value) => Array.isArray(value), 'a list', 'enum examples'),
  ...keywords(isSchemas, 'a list of schemas', 'allOf anyOf oneOf prefixItems'),
  ...keywords(isNames, 'a list of different names', 'required'),
  ...keywords(isType, 'a JSON type, or a list of them', 'type'),
  ...keywords(isPattern, 'a regular expression that is valid with the u flag', 'pattern'),
  ...keywords(isJsonObject, 'an object', '$defs properties dependentSchemas'),
  ...keywords(
    (value) => isJsonObject(value) && Object.keys(value).every(isUnicodePattern),
    'an object whose keys are regular expressions valid with the u flag',
    'patternProperties',
  ),
  ...keywords(
    (value) => isJsonObject(value) && Object.values(value).every(isNames),
    'an object of lists of names',
    'dependentRequired',
  ),
  ...keywords(
    isSchema,
    'a schema',
    'additionalProperties contains contentSchema else if items not propertyNames',
  ),
  ...keywords(isSchema, 'a schema', 'then unevaluatedItems unevaluatedProperties'),
])

/** What is wrong with the first keyword whose value JSON Schema 2020-12 does not allow, or `undefined`. */
export function misshapenKeyword(schema: JsonObject): string | undefined {
  for (const [keyword, value] of Object.entries(schema)) {
    const [check, shape] = checks.get(keyword) ?? []
    if (check !== undefined && !check(value)) return `"${keyword}" must be ${shape ?? ''}`
  }
  return undefined
}

/** Whether a pattern compiles the way JSON Schema validators compile it. */
export function isUnicodePattern(source: string): boolean {
  try {
    new RegExp(source, 'u')
    return true
  } catch {
    return false
  }
}

function keywords(check: Check, shape: string, names: string): [string, readonly [Check, string]][] {
  return names.split(' ').map((name) => [name, [check, shape]])
}
