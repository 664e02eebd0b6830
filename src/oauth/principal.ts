/** Who is asking, as the resource server established it. It never holds the token. */
export interface Principal<Claims = Record<string, unknown>> {
  /** The authorization server that vouches for the subject, exactly as configured. */
  readonly issuer: string
  /** Unique per issuer only: the identity is the pair of `issuer` and `subject`. */
  readonly subject: string
  readonly clientId?: string
  /** Granted scopes with all implied ones. */
  readonly scopes: readonly string[]
  /** Seconds since the epoch. */
  readonly expiresAt: number
  /** The verified claims of the token, those that a schema declares as it parsed them. */
  readonly claims: Readonly<Claims> & Readonly<Record<string, unknown>>
}
