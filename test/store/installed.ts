/** Whether a server is there to test with. Where everything must run, its absence is a failure and leaves no test out. */
export function installed(name: string, isThere: boolean): boolean {
  if (!isThere && process.env['CI'] !== undefined) throw new Error(`${name} is not installed`)
  return isThere
}
