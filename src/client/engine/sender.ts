import { CastellanError } from '../../errors.js'
import { modern } from '../../protocol/2026-07-28/revision.js'
import { encodeHeaderValue } from '../../protocol/header-value.js'
import { isJsonObject, type JsonObject } from '../../protocol/json.js'
import { metaKey } from '../../protocol/meta.js'
import type { Awaitable } from '../../contract/access.js'
import type { Implementation } from '../../contract/implementation.js'
import type { Channel, ChannelNotification } from '../channel.js'
import { InternalClientError } from '../errors.js'
import { refusedUnrun } from './outcome.js'
import type { RequestSpan } from './request-span.js'

/** One request before it has an id. */
interface Outgoing {
  readonly method: string
  readonly params: JsonObject
  readonly capabilities: JsonObject
  /** What the request is about, repeated in `Mcp-Name`. */
  readonly name?: string | undefined
  /** `Mcp-Param-*` headers by lower-case name. */
  readonly parameters?: Readonly<Record<string, string>> | undefined
  readonly progressToken?: string | undefined
  readonly signal?: AbortSignal | undefined
  /** Gets the id of the request as well, since a repetition has another one. */
  readonly onNotification?: ((notification: ChannelNotification, id: string) => Awaitable<void>) | undefined
}

interface Sent {
  readonly id: string
  readonly result: JsonObject
}

/** Sends one request: adds its `_meta`, id and headers, and follows one refusal of the version. */
export type Send = (outgoing: Outgoing) => Promise<Sent>

const version = modern.version
const unsupportedVersion = -32022

/** A sender over one channel. */
export function sender(channel: Channel, clientInfo: Implementation, span: RequestSpan): Send {
  const once = ({ method, name, signal, ...outgoing }: Outgoing): Promise<Sent> => {
    signal?.throwIfAborted()
    const headers = requestHeaders(name, outgoing.parameters)
    return span({ method, name }, async (trace) => {
      const id = crypto.randomUUID()
      const { onNotification, progressToken, capabilities } = outgoing
      const meta = {
        ...(isJsonObject(outgoing.params['_meta']) ? outgoing.params['_meta'] : undefined),
        ...trace,
        [metaKey.protocolVersion]: version,
        [metaKey.clientInfo]: clientInfo,
        [metaKey.clientCapabilities]: capabilities,
        ...(progressToken !== undefined && { [metaKey.progressToken]: progressToken }),
      }
      const params = { ...outgoing.params, _meta: meta }
      const notified =
        onNotification && ((notification: ChannelNotification) => onNotification(notification, id))
      const result = await channel.request({
        id,
        method,
        params,
        headers,
        signal,
        onNotification: notified,
      })
      return { id, result }
    })
  }
  return async (outgoing) => {
    const { onNotification } = outgoing
    const seen: { begun: boolean } = { begun: false }
    const noticed: Outgoing['onNotification'] =
      onNotification &&
      ((notification, id) => {
        seen.begun = true
        return onNotification(notification, id)
      })
    try {
      return await once({ ...outgoing, onNotification: noticed })
    } catch (error) {
      if (seen.begun || !namesOurVersion(error)) throw error
      return once(outgoing)
    }
  }
}

/**
 * A refusal that lists the version we speak is followed once, even if it is the one that was sent (VERS-3); not after a
 * notification, which tells that the request had begun to run.
 */
function namesOurVersion(error: unknown): boolean {
  if (!refusedUnrun(error, unsupportedVersion) || !isJsonObject(error.data)) return false
  const supported = error.data['supported']
  return Array.isArray(supported) && supported.includes(version)
}

function requestHeaders(
  name: string | undefined,
  parameters: Readonly<Record<string, string>> | undefined,
): Readonly<Record<string, string>> {
  return {
    ...(name !== undefined && { 'mcp-name': prepared(() => encodeHeaderValue(name)) }),
    ...parameters,
  }
}

/** Runs a step of preparation: what fails there was never sent. Throws `InternalClientError`. */
export function prepared<T>(step: () => T): T {
  try {
    return step()
  } catch (cause) {
    const message = cause instanceof CastellanError ? cause.message : 'The request could not be prepared'
    throw new InternalClientError(message, { cause })
  }
}
