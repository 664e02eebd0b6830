const width = 24

/** A bar for a status message such as `3 of 12`; any other message as it is. */
export function progressBar(message = ''): string {
  const [, done, total] = /^(\d+) of (\d+)$/.exec(message) ?? []
  if (done === undefined || total === undefined) return message
  const filled = Math.round((width * Number(done)) / Math.max(Number(total), 1))
  return `[${'█'.repeat(filled)}${'░'.repeat(width - filled)}] ${message}`
}
