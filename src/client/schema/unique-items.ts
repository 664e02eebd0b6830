/** Whether no two items of a list are equal as JSON; takes time in proportion to the list. */
export function isUnique(items: readonly unknown[]): boolean {
  return new Set(items.map(canonical)).size === items.length
}

/** One text per JSON value: members in order of their names. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) => {
    if (typeof inner !== 'object' || inner === null || Array.isArray(inner)) return inner
    return Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
  })
}
