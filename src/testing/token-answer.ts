/** Status and JSON body of the answer of a token endpoint. */
export interface TokenAnswer {
  readonly status: number
  readonly body: Readonly<Record<string, unknown>>
}

/** An error answer (RFC 6749 §5.2). */
export function refusal(error: string): TokenAnswer {
  return { status: 400, body: { error } }
}

/** The type of a token with these claims (RFC 9449 §5). */
export function tokenType(claims: Readonly<Record<string, unknown>>): 'Bearer' | 'DPoP' {
  return 'cnf' in claims ? 'DPoP' : 'Bearer'
}
