import assert from 'node:assert/strict'
import { memoryAuthorizationStore } from 'castellan/store'
import { testAuthorizationServer } from 'castellan/testing'
import { IdentityRequiredError, TokenEndpointError } from 'castellan/transports'
import { countNotes, notesServer } from '../backend-job/notes-server.js'
import { freePort } from '../free-port.js'
import { assistantOf, type Session } from './assistant.js'

/** Alice signs on once and calls a tool; what the company's policy refuses stays refused, and no browser opens. */
export async function check(): Promise<void> {
  const login = await testAuthorizationServer({
    clients: [{ clientId: 'assistant-at-login', clientSecret: 'known to the login only' }],
    assertions: { clientAt: () => 'assistant-at-notes' },
  })
  const authorization = await testAuthorizationServer({
    clients: [{ clientId: 'assistant-at-notes', clientSecret: 'known to the notes only' }],
    assertions: { identityProviders: [login.issuer] },
  })
  const server = await notesServer(await freePort(), authorization.issuer, 'sub')
  const company = {
    endpoint: server.endpoint,
    identityProvider: login.issuer,
    authorizationServer: authorization.issuer,
  }
  const signedOn = (subject: string, isSignedOn = true): Session => ({
    subject,
    store: memoryAuthorizationStore(),
    idToken: () =>
      isSignedOn ? login.signOn({ subject, clientId: 'assistant-at-login' }) : Promise.resolve(undefined),
  })
  const ask = async (session: Session) => {
    await using assistant = assistantOf(session, company)
    return await assistant.call(countNotes, {}, { signal: AbortSignal.timeout(20_000) })
  }
  try {
    const alice = signedOn('alice')
    assert.deepEqual(await ask(alice), { owner: 'alice', notes: 3 })
    assert.deepEqual(await ask(alice), { owner: 'alice', notes: 3 })
    assert.deepEqual(await ask(signedOn('bob')), { owner: 'bob', notes: 3 })
    assert.equal(login.requests.token, 2)
    await assert.rejects(ask(signedOn('carol', false)), IdentityRequiredError)
    login.alter('sign-on-exchange', { error: 'access_denied' })
    await assert.rejects(ask(signedOn('dave')), TokenEndpointError)
    assert.equal(authorization.requests.token, 2)
    assert.equal(authorization.requests.authorization, 0)
  } finally {
    await server.close()
    await authorization.close()
    await login.close()
  }
}
