import { lacking, type Shape } from './shape.js'

const header = { typ: undefined }

/** An access token: no audience. */
export const cognito: Shape = ({ clientId, subject }) => ({
  header,
  claims: {
    aud: undefined,
    client_id: clientId,
    ...{
      token_use: 'access',
      version: 2,
      origin_jti: 'o-1',
      event_id: 'e-1',
      auth_time: 1,
      username: subject,
    },
  },
})

/** An ID token: the audience is the client. */
export const cognitoId: Shape = ({ clientId, subject }) => ({
  header,
  claims: { ...lacking, aud: clientId, token_use: 'id', 'cognito:username': subject, email_verified: true },
})
