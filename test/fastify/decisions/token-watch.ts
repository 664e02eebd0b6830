const length = 11

/** Looks for pieces of hidden texts in everything that was said. */
export class TokenWatch {
  readonly #pieces = new Set<string>()
  readonly #lines = new Set<string>()
  linesRead = 0

  /** Of each part between dots, the first letters; a part that is shorter than they are says nothing. */
  hide(...texts: readonly string[]): void {
    for (const part of texts.flatMap((text) => text.split('.')))
      if (part.length >= length) this.#pieces.add(part.slice(0, length))
  }

  /** Takes a line; what differs in each, as moments and numbers of requests do, is left out. */
  read(line: string): void {
    this.linesRead += 1
    this.#lines.add(line.replaceAll(/"(time|pid|reqId|requestId|responseTime)":("[^"]*"|[\d.]+)/g, ''))
  }

  /** The lines that hold a hidden piece anywhere. */
  found(): readonly string[] {
    return [...this.#lines].filter((line) => {
      for (let start = 0; start <= line.length - length; start += 1)
        if (this.#pieces.has(line.slice(start, start + length))) return true
      return false
    })
  }
}
