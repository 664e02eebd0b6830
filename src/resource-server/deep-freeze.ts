/** Freezes an object and all plain objects and lists in it, however deep, and returns it. */
export function deepFreeze<T extends object>(root: T): Readonly<T> {
  const open: object[] = [root]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    Object.freeze(next)
    for (const value of Object.values(next) as unknown[]) {
      if (isPlain(value) && !Object.isFrozen(value)) open.push(value)
    }
  }
  return root
}

/** Instances of classes have a life of their own, and typed arrays cannot be frozen. */
function isPlain(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === Array.prototype || prototype === null
}
