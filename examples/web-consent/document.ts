import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { html, type Html } from './html.js'

const file = (name: string) => readFile(join(import.meta.dirname, name), 'utf8')

/** Serves what every page refers to, and says what a page may do: no script, nothing from elsewhere. */
export async function serveDocuments(
  app: FastifyInstance,
  /** Other origins to which a form may lead, through redirects. */
  formTargets: readonly string[],
): Promise<void> {
  const [style, icon] = await Promise.all([file('style.css'), file('icon.svg')])
  app.get('/style.css', (_request, reply) => reply.type('text/css').send(style))
  app.get('/icon.svg', (_request, reply) => reply.type('image/svg+xml').send(icon))
  const policy = [
    "default-src 'none'",
    "style-src 'self'",
    "img-src 'self'",
    ["form-action 'self'", ...formTargets].join(' '),
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ')
  app.addHook('onRequest', async (_request, reply) => {
    reply.headers({
      'content-security-policy': policy,
      'referrer-policy': 'same-origin',
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-store',
    })
  })
  app.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string', bodyLimit: 8192 },
    (_request, body, done) => done(null, new URLSearchParams(body as string)),
  )
}

/** Answers with a whole page. */
export function sendPage(reply: FastifyReply, title: string, body: Html): FastifyReply {
  const page = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${title}</title>
        <link rel="icon" href="/icon.svg" type="image/svg+xml" />
        <link rel="stylesheet" href="/style.css" />
      </head>
      <body>
        ${body}
      </body>
    </html>`
  return reply.type('text/html; charset=utf-8').send(page.text)
}

/** One field of a form that was sent. */
export function field(body: unknown, name: string): string {
  return (body instanceof URLSearchParams ? body.get(name) : null) ?? ''
}
