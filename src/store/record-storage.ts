/**
 * Texts under names: all that a store asks of a backend. Undefined means that there certainly is nothing; a failure rejects.
 */
export interface RecordStorage {
  get(name: string): Promise<string | undefined>
  /** `expiresAt` in milliseconds since 1970; without it the text stays until it is deleted. */
  set(name: string, text: string, expiresAt?: number): Promise<void>
  delete(name: string): Promise<void>
}
