export interface Note {
  readonly id: string
  readonly text: string
}

/** Notes in memory, one list per subject; nobody sees a list that is not theirs. */
export class Notebook {
  readonly #notes = new Map<string, Note[]>()
  #last = 0

  add(subject: string, text: string): Note {
    this.#last += 1
    const note = { id: String(this.#last), text }
    this.#notes.set(subject, [note, ...this.#of(subject)])
    return note
  }

  list(subject: string, limit: number): Note[] {
    return this.#of(subject).slice(0, limit)
  }

  find(subject: string, id: string): Note | undefined {
    return this.#of(subject).find((note) => note.id === id)
  }

  #of(subject: string): readonly Note[] {
    return this.#notes.get(subject) ?? []
  }
}
