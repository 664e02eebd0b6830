/**
 * Keeps the grants of one user, or of one application: never share an instance between principals.
 *
 * Every method rejects with `StoreError` when the store fails, and with the reason of the signal when that aborts.
 */
export interface AuthorizationStore {
  /**
   * Gives `use` the records of all `keys`, exclusively across every process that shares the store.
   *
   * Keys are 64 lower-case hexadecimal digits; they are taken in byte order, each once. `use` runs exactly once, or not at all
   * when waiting ends first. Every save stands by itself and stays when `use` throws later. Do not ask for further records
   * inside `use`: that would wait for itself.
   */
  withCredentials<T>(
    keys: readonly string[],
    use: (records: ReadonlyMap<string, CredentialRecord>, lease: Lease) => Promise<T>,
    options?: WithCredentialsOptions,
  ): Promise<T>
  /** What a browser takes to the authorization server and back. */
  readonly transactions: TransactionStore
}

export interface WithCredentialsOptions {
  readonly signal?: AbortSignal
  /** How long to wait for the records, in milliseconds; 30 000 when left out. Then `ERR_STORE_UNAVAILABLE`. */
  readonly waitMilliseconds?: number
}

/** One record under a lease; after `use` has ended it refuses to write. */
export interface CredentialRecord {
  readonly key: string
  /** The value; undefined only when there certainly is none. */
  load(): Promise<Uint8Array | undefined>
  /** Resolves when the value is written. `ERR_STORE_CONFLICT` when the lease is lost or the record has changed since. */
  save(value: Uint8Array): Promise<void>
  /** Deletes the record, under the same conditions as `save`. */
  remove(): Promise<void>
}

export interface Lease {
  /** Aborts when exclusivity can no longer be proven: stop, and send nothing that consumes. */
  readonly lost: AbortSignal
}

/** Values that are put once and taken once, by any instance. */
export interface TransactionStore {
  /** Keeps a value until `expiresAt`, in milliseconds since 1970. `ERR_STORE_CONFLICT` when there is one under this hash. */
  put(
    stateHash: string,
    value: Uint8Array,
    expiresAt: number,
    options?: { readonly signal?: AbortSignal },
  ): Promise<void>
  /** Takes the value away; undefined when it is unknown, expired or already taken. */
  take(stateHash: string, options?: { readonly signal?: AbortSignal }): Promise<Uint8Array | undefined>
}
