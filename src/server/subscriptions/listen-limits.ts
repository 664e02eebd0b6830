import { DefinitionError } from '../../errors.js'

/** Bounds of listen streams. */
export interface ListenLimits {
  /** Milliseconds an idle stream goes without a sign that somebody is there; 25,000 when left out, 1,000 at least. */
  readonly keepAliveMs: number
  /** Streams one principal has open at this instance; 100 when left out. All callers of an open server are one. */
  readonly streamsPerPrincipal: number
  /** URIs and ids one stream follows; 1,000 when left out. */
  readonly targetsPerStream: number
}

/** The limits with those left out. Throws `ERR_OPTION`. */
export function listenLimits(options: Partial<ListenLimits> = {}): ListenLimits {
  const limits = {
    keepAliveMs: options.keepAliveMs ?? 25_000,
    streamsPerPrincipal: options.streamsPerPrincipal ?? 100,
    targetsPerStream: options.targetsPerStream ?? 1_000,
  }
  for (const [name, value] of Object.entries(limits)) {
    const least = name === 'keepAliveMs' ? 1_000 : 1
    if (Number.isSafeInteger(value) && value >= least) continue
    throw new DefinitionError(`\`listen.${name}\` must be a whole number, ${least} or more`, 'ERR_OPTION')
  }
  return limits
}
