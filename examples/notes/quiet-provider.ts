import type * as oidc from 'oidc-provider'

/** A provider without its warnings about Node 20 and storage in memory; both are fine for a demo. */
export async function quietProvider(
  issuer: string,
  configuration: (module: typeof oidc) => oidc.Configuration,
): Promise<oidc.Provider> {
  const warn = console.warn
  console.warn = (...words: unknown[]) => {
    if (!String(words[0]).includes('oidc-provider WARNING')) warn(...words)
  }
  try {
    const module = await import('oidc-provider')
    return new module.Provider(issuer, configuration(module))
  } finally {
    console.warn = warn
  }
}
