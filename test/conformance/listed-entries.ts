/** One `- value # reason` line of a YAML file and the top-level key it stands under. */
export interface Entry {
  readonly section: string
  readonly value: string
  readonly reason: string
}

const entryLine = /^ +- (?:scenario: )?([^\s#]+) *(?:# *(.*))?$/

/** Reads the two plain list layouts this folder needs: our excuses and the suite's requirements. */
export function listedEntries(yaml: string): Entry[] {
  const entries: Entry[] = []
  let section = ''
  for (const line of yaml.split('\n')) {
    section = /^([a-z_]+):/.exec(line)?.[1] ?? section
    const found = entryLine.exec(line)
    if (found) entries.push({ section, value: found[1] ?? '', reason: found[2] ?? '' })
  }
  return entries
}
