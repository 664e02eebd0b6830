export type {
  AuthorizationStore,
  CredentialRecord,
  Lease,
  TransactionStore,
  WithCredentialsOptions,
} from './authorization-store.js'
export type { DistributedLock, HeldLock } from './distributed-lock.js'
export { fileAuthorizationStore } from './file/file-store.js'
export type { FileAuthorizationStoreOptions } from './file/file-store.js'
export { sealingKeyFile } from './file/sealing-key-file.js'
export { keyvAuthorizationStore } from './keyv-store.js'
export type { KeyvAuthorizationStoreOptions } from './keyv-store.js'
export type { KeyvLike } from './keyv-storage.js'
export { authorizationStoreKit } from './kit/store-kit.js'
export type { StoreCheck } from './kit/store-kit.js'
export type { StoreUnderTest } from './kit/store-check.js'
export { memoryAuthorizationStore } from './memory-store.js'
export { postgresLock } from './postgres-lock.js'
export type { PostgresLockOptions, PostgresPool } from './postgres-lock.js'
export type { SealingKey } from './record-cipher.js'
export { redisLock } from './redis-lock.js'
export type { RedisLockOptions, RedisScripts } from './redis-lock.js'
export { StoreError } from './store-error.js'
