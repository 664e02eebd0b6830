import { createClient, httpCaller, type Client } from 'castellan/client'
import type { AuthorizationStore } from 'castellan/store'
import { enterpriseTransport, idTokenIdentity, secretBasic } from 'castellan/transports'

/** What the host keeps of the sign-on of one user. */
export interface Session {
  readonly subject: string
  /** The ID token as it is now; undefined when the user has signed out or the session has ended. */
  readonly idToken: () => Promise<string | undefined>
  readonly store: AuthorizationStore
}

/** Where the assistant is registered: at the company's identity provider, and at the server that guards the tools. */
export interface Company {
  readonly endpoint: string
  readonly identityProvider: string
  readonly authorizationServer: string
}

/** A client that acts for one signed-on user: no consent screen, whatever server of the company it calls. */
export function assistantOf(session: Session, company: Company): Client {
  const transport = enterpriseTransport({
    endpoint: company.endpoint,
    registration: secretBasic({
      issuer: company.authorizationServer,
      clientId: 'assistant-at-notes',
      clientSecret: 'known to the notes only',
      allowLoopbackHttp: true,
    }),
    identity: idTokenIdentity({
      registration: secretBasic({
        issuer: company.identityProvider,
        clientId: 'assistant-at-login',
        clientSecret: 'known to the login only',
        allowLoopbackHttp: true,
      }),
      subject: session.subject,
      source: session.idToken,
    }),
    store: session.store,
    allowLoopbackHttp: true,
  })
  return createClient(httpCaller({ clientInfo: { name: 'assistant', version: '1.0.0' }, transport }))
}
