export type {
  AuthorizationStore,
  CredentialRecord,
  Lease,
  TransactionStore,
  WithCredentialsOptions,
} from './authorization-store.js'
export { StoreError } from './store-error.js'
