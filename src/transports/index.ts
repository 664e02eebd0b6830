export { authorizationCodeTransport } from './authorization-code/authorization-code-transport.js'
export type { ConsentRequest } from './authorization-code/consent-request.js'
export type { LocalConsentOptions, LocalTransport } from './authorization-code/for-local.js'
export type { ConsentQuestion } from './authorization-code/local-consent.js'
export type { WebConsent, WebConsentOptions } from './authorization-code/for-web.js'
export { clientCredentialsTransport } from './client-credentials/client-credentials-transport.js'
export type { ClientCredentialsOptions } from './client-credentials/client-credentials-transport.js'
export type { ClientTransport } from './client-transport.js'
export type { Registrations } from './discovery/choose-registration.js'
export { idTokenIdentity, refreshTokenIdentity, samlIdentity } from './enterprise/enterprise-identity.js'
export type { EnterpriseIdentity, EnterpriseIdentityOptions } from './enterprise/enterprise-identity.js'
export { enterpriseTransport } from './enterprise/enterprise-transport.js'
export type { EnterpriseTransportOptions } from './enterprise/enterprise-transport.js'
export {
  AuthorizationUnavailableError,
  ConsentError,
  ConsentRequiredError,
  DiscoveryError,
  IdentityRequiredError,
  InsufficientScopeError,
  InvalidTokenError,
  RegistrationError,
  TokenEndpointError,
} from './errors.js'
export type { ConsentFailure } from './errors.js'
export { privateKey, signedClientMetadata } from '../oauth/registration/private-key.js'
export type { PrivateKeyClient } from '../oauth/registration/private-key.js'
export { secretBasic, secretPost } from '../oauth/registration/secret.js'
export type { SecretBasicClient, SecretClient } from '../oauth/registration/secret.js'
export { publicClient, publicClientMetadata } from '../oauth/registration/public.js'
export { clientMetadataDocument } from '../oauth/registration/client-metadata-document.js'
export type { ClientDescription } from '../oauth/registration/client-metadata-document.js'
export { relaxations } from '../oauth/registration/quirks.js'
export type { IssuerQuirks } from '../oauth/registration/quirks.js'
export { auth0 } from './presets/auth0.js'
export { cognito } from './presets/cognito.js'
export { entra } from './presets/entra.js'
export { github } from './presets/github.js'
export { google } from './presets/google.js'
export type { ClientIdentity, Registration } from '../oauth/registration/registration.js'
export { workloadIdentityTransport } from './workload-identity/workload-identity-transport.js'
export type { WorkloadIdentityOptions } from './workload-identity/workload-identity-transport.js'
