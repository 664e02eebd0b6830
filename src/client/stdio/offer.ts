/** Hands text to a host that only looks on: what its callback throws must not end the conversation. */
export function offer(callback: ((text: string) => void) | undefined, text: string): void {
  try {
    callback?.(text)
  } catch {
    // The text was only offered.
  }
}
