/** Whether a server is known to ask for no token. */
export interface Openness {
  isOpen(): boolean
  /** What the server said now: that it asks for none is taken at its word for five minutes, that it asks ends this at once. */
  note(isOpen: boolean): void
}

const milliseconds = 300_000

export function openness(): Openness {
  let until = 0
  return {
    isOpen: () => performance.now() < until,
    note(isOpen) {
      until = isOpen ? performance.now() + milliseconds : 0
    },
  }
}
