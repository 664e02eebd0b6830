import { createClient, httpCaller, type Client } from 'castellan/client'
import {
  ConsentError,
  ConsentRequiredError,
  authorizationCodeTransport,
  secretBasic,
} from 'castellan/transports'
import type { AuthorizationStore } from 'castellan/store'
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import { addNote, listNotes } from '../notes/notes.js'
import { field, serveDocuments } from './document.js'
import { longestNote, notesPage, welcomePage, type Notice } from './pages.js'
import { cookiesOf, isSessionId, newSessionId, type Cookies } from './session.js'

export interface WebAppOptions {
  /** Where browsers find the app. */
  readonly origin: string
  /** The MCP server it calls for its users. */
  readonly resource: string
  readonly issuer: string
  readonly client: { readonly clientId: string; readonly clientSecret: string }
  /** Where the grants of one user are kept. */
  readonly store: (userId: string) => AuthorizationStore
}

const notices: Readonly<Record<string, Notice>> = {
  saved: { text: 'Your note is saved.' },
  'signed-out': { text: 'You are signed out, and Jotter has given its permission back.' },
  denied: { text: 'You did not allow it, so nothing has changed.', isBad: true },
  failed: { text: 'That sign-in is over. Please try again.', isBad: true },
  'too-long': { text: `A note has 1 to ${longestNote} characters.`, isBad: true },
}

/** A web app without a database of its own: it shows and writes what its users keep at an MCP server. */
export async function webApp(options: WebAppOptions): Promise<FastifyInstance> {
  const { origin, resource, issuer, client, store } = options
  const consent = authorizationCodeTransport.forWeb({
    endpoint: resource,
    registration: secretBasic({ issuer, ...client, allowLoopbackHttp: true }),
    redirectUri: `${origin}/callback`,
    store,
    allowLoopbackHttp: true,
  })
  const cookies = cookiesOf(origin)
  const app = fastify({ forceCloseConnections: true })
  app.addHook('onClose', () => consent.close())
  await serveDocuments(app, [new URL(issuer).origin])

  /** A form of another site must not act for a user of this one. */
  app.addHook('onRequest', async ({ method, headers }, reply) => {
    if (method === 'POST' && headers.origin !== origin) return reply.code(403).send('Forbidden')
  })
  app.setErrorHandler((_error, _request, reply) => {
    const text = 'Your notes cannot be reached right now. Please try again in a moment.'
    return welcomePage(reply.code(503), { text, isBad: true })
  })

  const { userOf, home, noticeFor } = visits(cookies)

  async function withNotes<T>(user: string, use: (notes: Client) => Promise<T>): Promise<T> {
    await using notes = createClient(
      httpCaller({ clientInfo: { name: 'jotter', version: '1.0.0' }, transport: consent.transport(user) }),
    )
    return await use(notes)
  }

  app.get('/', async (request, reply) => {
    const user = userOf(request)
    const notice = noticeFor(request, reply)
    if (user === undefined) return welcomePage(reply, notice)
    try {
      const { notes } = await withNotes(user, (client) => client.call(listNotes, { limit: 50 }))
      return await notesPage(reply, notes, notice)
    } catch (error) {
      if (error instanceof ConsentRequiredError) return welcomePage(reply, notice)
      throw error
    }
  })

  app.post('/sign-in', async (request, reply) => {
    const user = userOf(request) ?? newSessionId()
    cookies.write(reply, 'session', user)
    const { url } = await consent.begin(user)
    return reply.redirect(url, 303)
  })

  /** Who comes back from a consent for writing gets the note saved that it was for. */
  app.get('/callback', async (request, reply) => {
    const user = userOf(request)
    if (user === undefined) return home(reply, 'failed')
    const draft = cookies.read(request, 'draft')
    cookies.clear(reply, 'draft')
    try {
      await consent.finish(user, request.url)
    } catch (error) {
      if (!(error instanceof ConsentError)) throw error
      return home(reply, error.reason === 'denied' ? 'denied' : 'failed')
    }
    return draft === undefined ? home(reply) : addTo(user, Buffer.from(draft, 'base64url').toString(), reply)
  })

  app.post('/notes', async (request, reply) => {
    const user = userOf(request)
    return user === undefined ? home(reply) : addTo(user, field(request.body, 'text').trim(), reply)
  })

  async function addTo(user: string, text: string, reply: FastifyReply): Promise<FastifyReply> {
    if (text === '' || text.length > longestNote) return home(reply, 'too-long')
    try {
      await withNotes(user, (client) => client.call(addNote, { text }))
      return await home(reply, 'saved')
    } catch (error) {
      if (!(error instanceof ConsentRequiredError)) throw error
      cookies.write(reply, 'draft', Buffer.from(text).toString('base64url'))
      return reply.redirect(error.url, 303)
    }
  }

  app.post('/sign-out', async (request, reply) => {
    const user = userOf(request)
    if (user !== undefined) await consent.forget(user)
    cookies.clear(reply, 'session')
    return home(reply, 'signed-out')
  })

  return app
}

/** Who comes, and what the next page tells them. */
function visits(cookies: Cookies) {
  function userOf(request: FastifyRequest): string | undefined {
    const id = cookies.read(request, 'session')
    return isSessionId(id) ? id : undefined
  }

  function home(reply: FastifyReply, notice?: string): FastifyReply {
    if (notice !== undefined) cookies.write(reply, 'notice', notice)
    return reply.redirect('/', 303)
  }

  function noticeFor(request: FastifyRequest, reply: FastifyReply): Notice | undefined {
    const name = cookies.read(request, 'notice')
    if (name === undefined) return undefined
    cookies.clear(reply, 'notice')
    return Object.hasOwn(notices, name) ? notices[name] : undefined
  }

  return { userOf, home, noticeFor }
}
