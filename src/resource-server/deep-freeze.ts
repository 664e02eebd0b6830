/** Freezes an object and everything in it, however deep, and returns it. */
export function deepFreeze<T extends object>(root: T): Readonly<T> {
  const open: object[] = [root]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    Object.freeze(next)
    for (const value of Object.values(next) as unknown[]) {
      if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) open.push(value)
    }
  }
  return root
}
