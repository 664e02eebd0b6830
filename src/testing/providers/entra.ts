import { lacking, type Shape } from './shape.js'

const header = { typ: 'JWT' }
const v2 = (tenant: string) => `https://login.microsoftonline.com/${tenant}/v2.0`

/** For a user, version 1: the issuer is another one, the client stands in `appid`. */
export const entraV1: Shape = ({ issuer: tenant, scopes, subject, clientId }) => ({
  header: { ...header, x5t: 'x5t-of-the-key' },
  claims: {
    ...lacking,
    iss: `https://sts.windows.net/${tenant}/`,
    ...{ tid: tenant, oid: `oid-of-${subject}`, appid: clientId, appidacr: '0', ver: '1.0', uti: 'uti-1' },
    scp: scopes.join(' '),
  },
})

/** For a user, version 2. */
export const entraV2: Shape = ({ issuer: tenant, scopes, subject, clientId }) => ({
  header,
  claims: {
    ...lacking,
    iss: v2(tenant),
    ...{ tid: tenant, oid: `oid-of-${subject}`, azp: clientId, azpacr: '0', ver: '2.0', uti: 'uti-2' },
    scp: scopes.join(' '),
  },
})

/** For an application acting for itself: app roles instead of scopes. */
export const entraApp: Shape = ({ issuer: tenant, scopes, subject, clientId }) => ({
  header,
  claims: {
    ...lacking,
    iss: v2(tenant),
    ...{ tid: tenant, oid: subject, azp: clientId, azpacr: '1', idtyp: 'app', ver: '2.0', uti: 'uti-3' },
    roles: scopes,
  },
})

/** An ID token without a nonce, which the code flow allows. */
export const entraId: Shape = ({ issuer: tenant, subject }) => ({
  header,
  claims: {
    ...lacking,
    iss: v2(tenant),
    ...{ tid: tenant, oid: `oid-of-${subject}`, name: subject, preferred_username: subject, ver: '2.0' },
  },
})
