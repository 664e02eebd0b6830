import { lacking, type Shape } from './shape.js'

const header = { typ: 'JWT' }

/** With an audience mapper for the API. */
export const keycloak: Shape = ({ audience, scopes, clientId, subject }) => ({
  header,
  claims: {
    client_id: undefined,
    aud: [...[audience].flat(), 'account'],
    ...{ typ: 'Bearer', azp: clientId, sid: 'sid-1', acr: '1', preferred_username: subject },
    realm_access: { roles: ['offline_access', 'uma_authorization'] },
    resource_access: { account: { roles: ['manage-account'] } },
    scope: ['email', 'profile', ...scopes].join(' '),
  },
})

/** As it comes without an audience mapper: for the account console. */
export const keycloakUnmapped: Shape = (told) => {
  const { header, claims } = keycloak(told)
  return { ...(header && { header }), claims: { ...claims, aud: 'account' } }
}

/** An ID token, which here names its client. */
export const keycloakId: Shape = ({ clientId, subject }) => ({
  header,
  claims: { ...lacking, typ: 'ID', azp: clientId, sid: 'sid-1', acr: '1', preferred_username: subject },
})
