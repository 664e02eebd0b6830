import type { FastifyReply } from 'fastify'
import { sendPage } from './document.js'
import { html, type Html } from './html.js'

/** What one page tells beside its content. */
export interface Notice {
  readonly text: string
  readonly isBad?: boolean
}

interface Note {
  readonly id: string
  readonly text: string
}

export const longestNote = 500

export function welcomePage(reply: FastifyReply, notice?: Notice): FastifyReply {
  return sendPage(
    reply,
    'Jotter',
    html`${header()}
      <main>
        ${noticeBar(notice)}
        <section class="card welcome">
          <h1>Your notes, wherever they are kept</h1>
          <p class="quiet">
            Jotter shows the notes you keep at another service. You decide there what it may do.
          </p>
          <form method="post" action="/sign-in"><button>Sign in</button></form>
        </section>
      </main>`,
  )
}

export function notesPage(reply: FastifyReply, notes: readonly Note[], notice?: Notice): FastifyReply {
  const signOut = html`<form method="post" action="/sign-out"><button class="plain">Sign out</button></form>`
  const items = notes.map(({ text }) => html`<li>${text}</li>`)
  return sendPage(
    reply,
    'Your notes – Jotter',
    html`${header(signOut)}
      <main>
        ${noticeBar(notice)}
        <form class="card" method="post" action="/notes">
          <label for="text">New note</label>
          <textarea id="text" name="text" required maxlength="${String(longestNote)}"></textarea>
          <div class="actions">
            <span class="quiet">Saving may ask for your consent once more.</span>
            <button>Save note</button>
          </div>
        </form>
        ${
          items.length === 0
            ? html`<p class="quiet empty">There are no notes yet.</p>`
            : html`<ul class="notes">
                ${items}
              </ul>`
        }
      </main>`,
  )
}

function header(action: Html | readonly Html[] = []): Html {
  return html`<header>
    <span class="brand"><img src="/icon.svg" alt="" />Jotter</span>
    ${action}
  </header>`
}

function noticeBar(notice: Notice | undefined): Html | readonly Html[] {
  if (notice === undefined) return []
  const role = notice.isBad === true ? 'alert' : 'status'
  return html`<p class="notice ${notice.isBad === true ? 'bad' : ''}" role="${role}">${notice.text}</p>`
}
