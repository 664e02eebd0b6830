export type {
  AuthorizationStore,
  CredentialRecord,
  Lease,
  TransactionStore,
  WithCredentialsOptions,
} from './authorization-store.js'
export type { DistributedLock, HeldLock } from './distributed-lock.js'
export { keyvAuthorizationStore } from './keyv-store.js'
export type { KeyvAuthorizationStoreOptions } from './keyv-store.js'
export type { KeyvLike } from './keyv-storage.js'
export { memoryAuthorizationStore } from './memory-store.js'
export { postgresLock } from './postgres-lock.js'
export type { PostgresLockOptions, PostgresPool } from './postgres-lock.js'
export type { SealingKey } from './record-cipher.js'
export { redisLock } from './redis-lock.js'
export type { RedisLockOptions, RedisScripts } from './redis-lock.js'
export { StoreError } from './store-error.js'
