import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { InteractionResults, Provider } from 'oidc-provider'
import { field, sendPage } from './document.js'
import { html } from './html.js'

/** Who may sign in at this demo. */
const passwords: Readonly<Record<string, string>> = { alice: 'wonderland', bob: 'builder' }

const meanings: Readonly<Record<string, string>> = {
  'notes:read': 'Read your notes',
  'notes:write': 'Write notes in your name',
}

type Interaction = Awaited<ReturnType<Provider['interactionDetails']>>

/** The pages on which users sign in and decide what an app may do. */
export function interactionRoutes(app: FastifyInstance, provider: Provider): void {
  const details = ({ raw }: FastifyRequest, reply: FastifyReply) =>
    provider.interactionDetails(raw, reply.raw)
  const finish = async ({ raw }: FastifyRequest, reply: FastifyReply, result: InteractionResults) =>
    reply.redirect(
      await provider.interactionResult(raw, reply.raw, result, { mergeWithLastSubmission: true }),
      303,
    )

  app.get('/interaction/:uid', async (request, reply) => {
    const interaction = await details(request, reply)
    return interaction.prompt.name === 'login'
      ? loginPage(reply, interaction)
      : consentPage(reply, interaction, await clientName(interaction))
  })

  app.post('/interaction/:uid/login', async (request, reply) => {
    const interaction = await details(request, reply)
    const name = field(request.body, 'name')
    if (!Object.hasOwn(passwords, name) || passwords[name] !== field(request.body, 'password')) {
      return loginPage(reply.code(401), interaction, 'This name and password do not fit together.')
    }
    return finish(request, reply, { login: { accountId: name } })
  })

  app.post('/interaction/:uid/consent', async (request, reply) =>
    finish(request, reply, { consent: { grantId: await extendedGrant(await details(request, reply)) } }),
  )

  app.post('/interaction/:uid/refusal', async (request, reply) =>
    finish(request, reply, { error: 'access_denied' }),
  )

  async function clientName({ params }: Interaction): Promise<string> {
    const client = await provider.Client.find(String(params['client_id']))
    return client?.clientName ?? 'An app'
  }

  async function extendedGrant({ grantId, session, params, prompt }: Interaction): Promise<string> {
    const before = grantId === undefined ? undefined : await provider.Grant.find(grantId)
    const identity = { accountId: session!.accountId, clientId: String(params['client_id']) }
    const grant = before ?? new provider.Grant(identity)
    for (const [resource, scopes] of Object.entries(missingScopes(prompt)))
      grant.addResourceScope(resource, scopes)
    return grant.save()
  }
}

function missingScopes({ details }: Interaction['prompt']): Readonly<Record<string, string[]>> {
  return (details['missingResourceScopes'] ?? {}) as Record<string, string[]>
}

function loginPage(reply: FastifyReply, { uid }: Interaction, problem?: string): FastifyReply {
  return sendPage(
    reply,
    'Sign in – Notes Account',
    html`<main class="narrow">
      <section class="card">
        <h1>Sign in</h1>
        <p class="quiet">to your Notes Account. In this demo: alice, wonderland.</p>
        ${problem === undefined ? [] : html`<p class="notice bad" role="alert">${problem}</p>`}
        <form method="post" action="/interaction/${uid}/login">
          <label for="name">Name</label>
          <input id="name" name="name" autocomplete="username" required autofocus />
          <label for="password">Password</label>
          <input id="password" name="password" type="password" autocomplete="current-password" required />
          <button>Sign in</button>
        </form>
      </section>
    </main>`,
  )
}

function consentPage(reply: FastifyReply, { uid, prompt, params, session }: Interaction, client: string) {
  const scopes = Object.values(missingScopes(prompt)).flat()
  const target = new URL(String(params['redirect_uri'])).host
  return sendPage(
    reply,
    'Allow access – Notes Account',
    html`<main class="narrow">
      <section class="card">
        <h1>Allow ${client}?</h1>
        <p class="quiet">You are ${session?.accountId ?? ''}. ${client} at ${target} would like to:</p>
        <ul class="scopes">
          ${scopes.map((scope) => html`<li>${meanings[scope] ?? scope}</li>`)}
        </ul>
        <div class="actions">
          <form method="post" action="/interaction/${uid}/refusal">
            <button class="plain">Do not allow</button>
          </form>
          <form method="post" action="/interaction/${uid}/consent"><button>Allow</button></form>
        </div>
      </section>
    </main>`,
  )
}
