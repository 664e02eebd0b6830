import type { InjectOptions } from 'fastify'
import type { JsonObject } from '../../protocol/json.js'
import type { Argument, Part } from './route-input.js'
import { writeQuery, type QuerySyntax } from './query-syntax.js'
import type { RoutePath } from './route-path.js'

/** Makes the request of one call from its arguments. Throws `ToolError` for a value the URL cannot hold. */
export type WriteRequest = (values: JsonObject) => InjectOptions

const headers = { accept: 'application/json', 'user-agent': 'castellan' }

/** Neither this machine nor anybody's: what trusts loopback addresses does not trust a tool. */
const remoteAddress = '0.0.0.0'

export function requestWriter(
  method: string,
  path: RoutePath,
  found: readonly Argument[],
  syntax: QuerySyntax,
): WriteRequest {
  const of = (part: Part) => found.filter((argument) => argument.part === part)
  const [inPath, inQuery, inBody] = [of('params'), of('querystring'), of('body')]
  return (values) => {
    const value = ({ name }: Argument) => (Object.hasOwn(values, name) ? values[name] : undefined)
    const given = new Map(inPath.map((argument) => [argument.key, value(argument)]))
    const query = writeQuery(
      inQuery.map((argument) => [argument.key ?? argument.name, value(argument)]),
      syntax,
    )
    const url = path.write((name) => given.get(name)) + (query === '' ? '' : `?${query}`)
    const request = { method, url, headers, remoteAddress } as InjectOptions
    if (inBody.length === 0) return request
    return {
      ...request,
      headers: { ...headers, 'content-type': 'application/json' },
      payload: JSON.stringify(bodyOf(inBody, value)),
    }
  }
}

function bodyOf(inBody: readonly Argument[], value: (argument: Argument) => unknown): unknown {
  const [whole] = inBody
  if (whole !== undefined && whole.key === undefined) return value(whole)
  return Object.fromEntries(inBody.map((argument) => [argument.key ?? argument.name, value(argument)]))
}
