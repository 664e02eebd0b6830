/** Where the story is written down. */
export interface Transcript {
  step(title: string): void
  sent(line: string): void
  got(line: string): void
  note(line: string): void
}

/** Writes a numbered, readable story. Tokens are shortened wherever they appear. */
export function transcript(write: (line: string) => void): Transcript {
  let steps = 0
  const put = (mark: string) => (line: string) => write(`   ${mark} ${withoutTokens(line)}`)
  return {
    step: (title) => {
      steps += 1
      write(`\n${steps}. ${title}`)
    },
    sent: put('→'),
    got: put('←'),
    note: put('·'),
  }
}

export const silence: Transcript = transcript(() => undefined)

function withoutTokens(line: string): string {
  return line.replace(/eyJ[\w-]+\.[\w-]+\.[\w-]+/g, 'eyJ…')
}
