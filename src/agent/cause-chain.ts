const maximumDepth = 32

/** Reads a member of anything, also of what throws when it is looked at. */
export function memberOf(value: unknown, key: string): unknown {
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null) return undefined
  try {
    return (value as Record<string, unknown>)[key]
  } catch {
    return undefined
  }
}

/** Whether a thing is of a class, also when asking throws. */
export function isA<T>(value: unknown, constructor: abstract new (...parameters: never[]) => T): value is T {
  try {
    return value instanceof constructor
  } catch {
    return false
  }
}

/** An error and its causes, outermost first; a circle ends where it closes. */
function causeChain(error: unknown): readonly unknown[] {
  const chain: unknown[] = []
  let current = error
  while (
    current !== undefined &&
    current !== null &&
    !chain.includes(current) &&
    chain.length < maximumDepth
  ) {
    chain.push(current)
    current = memberOf(current, 'cause')
  }
  return chain
}

/** Whether a deadline is in the chain: the `TimeoutError` of `AbortSignal.timeout`. */
export function endedByDeadline(error: unknown): boolean {
  return causeChain(error).some((link) => memberOf(link, 'name') === 'TimeoutError')
}

/** Whether somebody aborted on purpose: an `AbortError`, and no deadline. */
export function endedByAbort(error: unknown): boolean {
  return !endedByDeadline(error) && causeChain(error).some((link) => memberOf(link, 'name') === 'AbortError')
}

const networkCodes = new Set(
  (
    'ECONNREFUSED ECONNRESET ECONNABORTED ENOTFOUND EAI_AGAIN EPIPE EHOSTUNREACH EHOSTDOWN ENETUNREACH ENETDOWN ' +
    'EADDRNOTAVAIL ETIMEDOUT UND_ERR_SOCKET UND_ERR_CONNECT_TIMEOUT UND_ERR_HEADERS_TIMEOUT UND_ERR_BODY_TIMEOUT ' +
    'UND_ERR_CLOSED UND_ERR_DESTROYED'
  ).split(' '),
)

/** Whether the network is in the chain: a system code such as `ECONNRESET`, or one of undici. */
export function endedByNetwork(error: unknown): boolean {
  return causeChain(error).some((link) => isNetworkCode(memberOf(link, 'code')))
}

function isNetworkCode(code: unknown): boolean {
  return typeof code === 'string' && networkCodes.has(code)
}
