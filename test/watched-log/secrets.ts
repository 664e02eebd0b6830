/** What a secret looks like here: tokens, proofs and assertions, opaque tokens, credentials, the secret of the test client. */
const shapes: readonly RegExp[] = [
  /eyJ[\w-]{10,}\.[\w-]{10,}\.[\w-]{10,}/,
  /opaque\.[A-Za-z0-9+/]{20,}/,
  /\b(?:bearer|dpop|basic) +[A-Za-z0-9._~+/-]{12,}/i,
  /\b(?:client_secret|client_assertion|refresh_token|subject_token|code_verifier)=[^&\s"]{4,}/,
  /test-secret/,
]
const found: string[] = []
const listeners = new Set<(text: string) => void>()

/** Looks for secrets in something that was written to a log. */
export function watch(text: string): void {
  for (const listener of listeners) listener(text)
  const secret = shapes.find((shape) => shape.test(text))
  if (secret !== undefined) found.push(text.slice(0, 2_000))
}

/** Hears all that is written to any log, until the returned function is called. */
export function overhear(listener: (text: string) => void): () => void {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

/** What was found since this was last asked. */
export function takeFound(): readonly string[] {
  return found.splice(0)
}
