/** A querystring parser of lists and objects in brackets, `a[]=1&b[c]=2`, as `qs` is one. */
export function bracketParser(query: string): Record<string, unknown> {
  const root: Record<string, any> = {}
  for (const pair of query.split('&').filter((part) => part !== '')) {
    const [name = '', value = ''] = pair.split('=')
    const [first = '', ...rest] = name.split('[').map((part) => decodeURIComponent(part.replace(/\]$/, '')))
    let place = root
    let key = first
    for (const next of rest) {
      place[key] ??= next === '' ? [] : {}
      place = place[key]
      key = next === '' ? String(place['length']) : next
    }
    place[key] = decodeURIComponent(value)
  }
  return root
}
