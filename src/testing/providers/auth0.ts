import { lacking, type Shape } from './shape.js'

const scope = (scopes: readonly string[]) => ['openid', 'profile', ...scopes].join(' ')

/** The default dialect: the client stands in `azp`, the audience also names the user information endpoint. */
export const auth0: Shape = ({ issuer, audience, scopes, clientId }) => ({
  header: { typ: 'JWT' },
  claims: {
    ...lacking,
    aud: [...[audience].flat(), `${issuer}userinfo`],
    azp: clientId,
    scope: scope(scopes),
  },
})

/** For a client acting for itself: scopes also stand in `permissions`. */
export const auth0Machine: Shape = ({ scopes, clientId }) => ({
  header: { typ: 'JWT' },
  claims: {
    ...lacking,
    sub: `${clientId}@clients`,
    azp: clientId,
    gty: 'client-credentials',
    permissions: scopes,
  },
})

/** The dialect of RFC 9068. */
export const auth0Rfc9068: Shape = ({ issuer, audience, scopes, clientId }) => ({
  header: { typ: 'at+jwt' },
  claims: {
    aud: [...[audience].flat(), `${issuer}userinfo`],
    client_id: clientId,
    scope: scope(scopes),
  },
})

/** An ID token. */
export const auth0Id: Shape = ({ subject }) => ({
  header: { typ: 'JWT' },
  claims: { ...lacking, nickname: subject, name: subject, sid: 'sid-1' },
})
