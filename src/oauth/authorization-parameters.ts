const reserved = new Set([
  'response_type',
  'response_mode',
  'client_id',
  'redirect_uri',
  'scope',
  'state',
  'code_challenge',
  'code_challenge_method',
  'dpop_jkt',
  'resource',
  'request',
  'request_uri',
])

/** Whether a parameter of the authorization request is one that only the request itself may set. RFC 6749 §4.1.1. */
export function isReservedParameter(name: string): boolean {
  return reserved.has(name)
}
