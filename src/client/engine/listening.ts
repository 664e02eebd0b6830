import type { ListenOptions } from '../caller.js'
import type { CallerSettings } from '../caller-options.js'
import { declaredCapabilities, noInput } from './capabilities.js'
import type { ChannelNotification } from '../channel.js'
import { onAbort } from '../../network/on-abort.js'
import { CastellanError } from '../../errors.js'
import { ConnectionLostError, InternalClientError, OutcomeUnknownError } from '../errors.js'
import { EventHandoff } from './event-handoff.js'
import { malformed } from '../reading/member.js'
import { resultType } from '../reading/result-type.js'
import type { Send } from './sender.js'
import type { SubscriptionEvent, SubscriptionFilter } from '../subscription.js'
import { checkSubscription, SubscriptionReader } from './subscription-reader.js'

const method = 'subscriptions/listen'

/**
 * Follows one subscription until the server ends it. `noticed` is told of each event ahead of the host. A subscription
 * changes nothing, so no outcome is unknown: what ended it is thrown itself.
 */
export async function listen(
  { send, settings }: { readonly send: Send; readonly settings: CallerSettings },
  filter: SubscriptionFilter,
  { signal, onEvent }: ListenOptions,
  noticed: (event: SubscriptionEvent) => void,
): Promise<void> {
  if (typeof onEvent !== 'function') throw new InternalClientError('`onEvent` is missing')
  const reader = new SubscriptionReader(filter)
  let host: { readonly error: unknown } | undefined
  const onNotification = async (notification: ChannelNotification, id: string): Promise<void> => {
    const event = reader.read(notification, id)
    if (event === undefined) return
    noticed(event)
    try {
      await onEvent(event)
    } catch (error) {
      host = { error }
      throw error
    }
  }
  const capabilities = declaredCapabilities(settings, noInput, filter.taskIds !== undefined)
  try {
    const params = { notifications: filter }
    const { id, result } = await send({ method, params, capabilities, signal, onNotification })
    resultType(method, result, { unfinished: false, task: false })
    if (!reader.isAcknowledged) throw malformed('A subscription ended without an acknowledgement')
    checkSubscription(result, id)
  } catch (error) {
    throw endOf(error, signal, host)
  }
}

/** Why a subscription ended: a subscription changes nothing, so that nothing is unknown. */
function endOf(
  error: unknown,
  signal: AbortSignal | undefined,
  host: { readonly error: unknown } | undefined,
): unknown {
  if (host !== undefined) return host.error
  if (signal?.aborted === true) return signal.reason
  if (!(error instanceof OutcomeUnknownError)) return error
  const { cause } = error
  return cause instanceof CastellanError
    ? cause
    : new ConnectionLostError('The subscription was lost', { cause })
}

/** The events of one subscription as a loop; leaving the loop ends it. */
export async function* subscribe(
  follow: (options: ListenOptions) => Promise<void>,
  signal: AbortSignal | undefined,
): AsyncGenerator<SubscriptionEvent, void> {
  const left = new AbortController()
  const stop = () => left.abort(signal?.reason)
  if (signal?.aborted === true) stop()
  const forgetSignal = onAbort(signal, stop)
  const handoff = new EventHandoff<SubscriptionEvent>()
  const ended = follow({ signal: left.signal, onEvent: (event) => handoff.give(event) }).then(
    () => handoff.end(),
    (error: unknown) => handoff.end({ error }),
  )
  try {
    for (;;) {
      const taken = await handoff.take()
      if (taken.done) return
      yield taken.value
    }
  } finally {
    forgetSignal()
    left.abort()
    handoff.close()
    await ended
  }
}
