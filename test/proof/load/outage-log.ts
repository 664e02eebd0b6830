/** A time in which the authorization server answers nothing useful. Moments are milliseconds of the proof's clock. */
export interface Outage {
  readonly begins: number
  ends: number
  /** From when on the keys read before are too old to serve. */
  readonly keysTooOldFrom: number
}

/** One answer to a good token. */
export interface Answer {
  readonly status: number
  /** The key the token was signed with. */
  readonly kid: string
  readonly sentAt: number
  readonly receivedAt: number
}

/**
 * After an outage the last failed read may still come back, and the next one waits for the end of its back-off or, for
 * an unknown key, its turn: 30 s each.
 */
const afterwards = 60_000

/** Judges answers by what was true when they were given. */
export class OutageLog {
  readonly outages: Outage[] = []
  /** When the server first accepted a token of that key. */
  readonly #knownSince = new Map<string, number>()
  readonly counts = { accepted: 0, acceptedInOutages: 0, undecided: 0, undecidedForOldKeys: 0 }
  readonly faults: string[] = []

  begin(now: number, keysTooOldFrom: number): Outage {
    const outage = { begins: now, ends: Infinity, keysTooOldFrom }
    this.outages.push(outage)
    return outage
  }

  isKnown(kid: string): boolean {
    return this.#knownSince.has(kid)
  }

  record(answer: Answer): void {
    const { status, kid, sentAt, receivedAt } = answer
    const outage = this.outages.find(({ begins, ends }) => receivedAt >= begins && sentAt < ends + afterwards)
    if (status === 200) {
      if (!this.isKnown(kid)) this.#knownSince.set(kid, receivedAt)
      this.counts.accepted += 1
      if (outage !== undefined && receivedAt < outage.ends) this.counts.acceptedInOutages += 1
      return
    }
    if (status !== 503) return void this.faults.push(`${status} for a good token of ${kid}`)
    if (outage === undefined) return void this.faults.push(`503 for ${kid} while nothing was wrong`)
    const knownBefore = (this.#knownSince.get(kid) ?? Infinity) < outage.begins
    if (knownBefore && receivedAt < outage.keysTooOldFrom) {
      return void this.faults.push(`503 for ${kid}, whose key was in memory`)
    }
    this.counts.undecided += 1
    if (knownBefore) this.counts.undecidedForOldKeys += 1
  }
}
