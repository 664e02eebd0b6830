const absoluteUri = /^[A-Za-z][A-Za-z0-9+.-]*:[\x21-\x7e]+$/

/** Whether a text is an absolute URI in ASCII without blanks (RFC 3986, section 4.3, with an optional fragment). */
export function isAbsoluteUri(value: string): boolean {
  return absoluteUri.test(value)
}
