import { refuse } from '../option-checks.js'
import type { Preset } from './preset.js'

const guid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/**
 * Microsoft Entra ID, one tenant. Access tokens of version 1 and 2 count as the same people; `audiences` are the
 * application ID URI (`api://…`, version 1) and the application ID (version 2) of the API. ID tokens name no client
 * in `azp` or `appid` and are refused.
 *
 * App roles in `roles` grant scopes, those of an application and those a user has: keep their names apart from the names
 * of delegated scopes. `tenant` is the GUID, since `common`, `organizations` and domain names stand in no `iss`; for
 * several tenants, one resource server each. Throws `DefinitionError` (`ERR_OPTION`). Shape from documentation only.
 */
export function entra({
  tenant,
  audiences,
}: {
  readonly tenant: string
  readonly audiences: readonly string[]
}): Preset {
  if (!guid.test(tenant)) refuse('tenant', 'must be the GUID of one tenant')
  return {
    issuer: `https://login.microsoftonline.com/${tenant}/v2.0`,
    acceptedIssuers: [`https://sts.windows.net/${tenant}/`],
    jwksUri: `https://login.microsoftonline.com/${tenant}/discovery/v2.0/keys`,
    profile: 'relaxed',
    allowedTyp: ['JWT'],
    acceptedAudiences: audiences,
    clientIdClaims: ['azp', 'appid'],
    scopeClaims: ['scp', 'roles'],
  }
}
