/** Text that is HTML already. */
export class Html {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

type Part = string | Html | readonly Html[]

const escapes: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** HTML whose values are escaped, unless they are HTML themselves. */
export function html(texts: TemplateStringsArray, ...parts: readonly Part[]): Html {
  const values = parts.map((part) => {
    if (typeof part === 'string') return part.replace(/[&<>"']/g, (character) => escapes[character] ?? '')
    return [part].flat().reduce((text, { text: more }) => text + more, '')
  })
  return new Html(String.raw({ raw: texts }, ...values))
}
