import type { IncomingHttpHeaders } from 'node:http'

/** What one exchange came to: an answer of any status but a redirect, or the step that failed. */
export type HttpOutcome =
  | {
      readonly ok: true
      readonly status: number
      /** By lower-case name. */
      readonly headers: Readonly<IncomingHttpHeaders>
      readonly body: Buffer
    }
  | { readonly ok: false; readonly fault: HttpFault; readonly status?: number }

/**
 * Where an exchange failed. With `refused`, an address the guard does not admit, and `unreachable` nothing was sent; `lost` is
 * a connection that ended before the answer did, `stopped` the caller's signal.
 */
export type HttpFault = 'unreachable' | 'lost' | 'refused' | 'timeout' | 'stopped' | 'redirect' | 'size'
