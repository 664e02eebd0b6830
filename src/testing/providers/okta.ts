import { lacking, type Shape } from './shape.js'

const header = { typ: undefined }

/** Of a custom authorization server. */
export const okta: Shape = ({ scopes, clientId }) => ({
  header,
  claims: { ...lacking, ver: 1, jti: 'AT.1', cid: clientId, uid: '00u1', scp: scopes },
})

/** Of the org authorization server: for Okta itself, whatever it says. */
export const oktaOrg: Shape = ({ issuer, scopes, clientId }) => {
  const { origin } = new URL(issuer)
  return {
    header: { typ: 'application/okta-internal-at+jwt' },
    claims: { ...lacking, iss: origin, aud: origin, ver: 1, jti: 'AT.2', cid: clientId, scp: scopes },
  }
}

/** An ID token. */
export const oktaId: Shape = ({ subject }) => ({
  header,
  claims: { ...lacking, ver: 1, jti: 'ID.1', name: subject, amr: ['pwd'], idp: '00o1', auth_time: 1 },
})
