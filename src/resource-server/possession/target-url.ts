const httpUrl = /^https?:\/\/(?=[^/?#])(?![^/?#]*@)(?:[\w.~:/?#[\]@!$&'()*+,;=-]|%[0-9A-F]{2})+$/i
const unreserved = /[A-Za-z0-9._~-]/

/** Whether the `htu` of a proof names a target: the same `comparableUrl` (RFC 9449 §4.3). */
export function namesTarget(htu: string, target: string): boolean {
  return htu === target || comparableUrl(htu) === comparableUrl(target)
}

/**
 * The one spelling of a URL after the normalisation RFC 9449 §4.3 allows and without query and fragment: letter case of
 * scheme and host, default port, empty path, dot segments, percent-encoding (RFC 3986 §6.2.2, §6.2.3). What is no such
 * URL stays as it is.
 */
export function comparableUrl(text: string): string {
  return normalised(text) ?? text
}

function normalised(text: string): string | undefined {
  if (!httpUrl.test(text) || !URL.canParse(text)) return undefined
  const { origin, pathname } = new URL(text)
  return origin + pathname.replaceAll(/%[0-9a-f]{2}/gi, plainest)
}

/** RFC 3986 §6.2.2.1 and §6.2.2.2. */
function plainest(encoded: string): string {
  const character = String.fromCharCode(Number.parseInt(encoded.slice(1), 16))
  return unreserved.test(character) ? character : encoded.toUpperCase()
}
