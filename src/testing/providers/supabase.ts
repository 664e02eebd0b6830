import { lacking, type Shape } from './shape.js'

const session = (subject: string) => ({
  ...{ aud: 'authenticated', role: 'authenticated', user_id: subject, email: `${subject}@example.com` },
  ...{ aal: 'aal1', session_id: 's-1', is_anonymous: false, amr: [{ method: 'password', timestamp: 1 }] },
})

/** Issued by its OAuth server. */
export const supabase: Shape = ({ clientId, subject }) => ({
  header: { typ: 'JWT' },
  claims: { ...lacking, ...session(subject), client_id: clientId },
})

/** Of a person signed in to the project's own app: no client. */
export const supabaseSession: Shape = ({ subject }) => ({
  header: { typ: 'JWT' },
  claims: { ...lacking, ...session(subject) },
})
