import type { JsonObject } from '../json.js'
import { isJsonObject } from '../json.js'
import { metaKey } from '../meta.js'

/** A notification written once for many subscriptions: the JSON text of a subscription's id goes in between. */
export interface Notice {
  readonly head: string
  readonly tail: string
}

/** A notification of a subscription; its `_meta` names the subscription (MCP 2026-07-28, "Subscriptions"). */
export function notice(method: string, params: JsonObject = {}): Notice {
  const { _meta: meta, ...others } = params
  const members = inner(others)
  const own = isJsonObject(meta) ? inner(meta) : ''
  return {
    head: `{"jsonrpc":"2.0","method":${JSON.stringify(method)},"params":{${members}"_meta":{${own}"${metaKey.subscriptionId}":`,
    tail: '}}}',
  }
}

/** The members of an object, each with a comma behind it. */
function inner(value: JsonObject): string {
  const json = JSON.stringify(value)
  return json === '{}' ? '' : `${json.slice(1, -1)},`
}

/** The first message of a subscription: what is honoured of its filter. */
export function acknowledgement(filter: JsonObject): Notice {
  return notice('notifications/subscriptions/acknowledged', { notifications: filter })
}

/** The response that ends a subscription; `id` and `serverInfo` are JSON texts. */
export function endOfSubscription(id: string, serverInfo: string): string {
  const meta = `"${metaKey.subscriptionId}":${id},"${metaKey.serverInfo}":${serverInfo}`
  return `{"jsonrpc":"2.0","id":${id},"result":{"resultType":"complete","_meta":{${meta}}}}`
}
