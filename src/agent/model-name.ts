import { createHash } from 'node:crypto'
import { DefinitionError } from '../errors.js'

const safe = /^[A-Za-z0-9_-]{1,64}$/
const longest = 64
const digestLength = 8

/**
 * A name every model provider takes, for each tool: the exact name where it fits, else with `_` for other characters
 * and a digest for what is too long. Throws `ERR_DEFINITION` when two tools would share one.
 */
export function modelNames(tools: readonly string[], prefix: string): ReadonlyMap<string, string> {
  const taken = new Map<string, string>()
  for (const tool of tools) {
    const name = modelName(prefix + tool)
    const other = taken.get(name)
    if (other !== undefined) {
      throw new DefinitionError(
        `Tools ${JSON.stringify(other)} and ${JSON.stringify(tool)} would both be ${JSON.stringify(name)} to a model; ` +
          'put them into two toolsets with different prefixes',
      )
    }
    taken.set(name, tool)
  }
  return new Map([...taken].map(([name, tool]) => [tool, name]))
}

function modelName(name: string): string {
  if (safe.test(name)) return name
  const plain = name.replaceAll(/[^A-Za-z0-9_-]/g, '_')
  if (plain.length <= longest) return plain
  const digest = createHash('sha256').update(name).digest('hex').slice(0, digestLength)
  return `${plain.slice(0, longest - digestLength - 1)}_${digest}`
}
