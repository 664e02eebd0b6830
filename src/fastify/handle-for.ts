import type { Completers } from '../contract/completion.js'
import type { PromptDefinition } from '../contract/prompt.js'
import { DefinitionError } from '../errors.js'
import type { Principal } from '../oauth/principal.js'
import type { ResourceServer } from '../resource-server/resource-server.js'
import { nameOf, type Offer } from '../server/catalog.js'
import {
  handle,
  type AnyDefinition,
  type ArgumentNames,
  type Bound,
  type HandlerOf,
  type Kind,
} from '../server/handle.js'

/** `handle` for the handlers of one resource server: `ctx.principal` is always there, with its claims typed. */
export type HandleFor<Claims> = <D extends AnyDefinition>(
  definition: D,
  handler: HandlerOf<D, Principal<Claims>>,
  options?: { readonly complete?: Completers<ArgumentNames<D>, Principal<Claims>> },
) => Bound<Kind<D>>

/**
 * Makes a `handle` whose handlers see the claims of `auth` as its `claims` schema types them.
 *
 * What it binds stands on endpoints with this very `auth` only; any other throws `ERR_DEFINITION` at start.
 *
 * @example
 * const auth = jwtResourceServer({ resource, issuer, claims: z.object({ tenant: z.string() }) })
 * const handle = handleFor(auth)
 * handle(listNotes, (_input, { principal }) => notes.of(principal.claims.tenant))
 */
export function handleFor<Claims>(auth: ResourceServer<Claims>): HandleFor<Claims> {
  const bind = handle as unknown as HandleFor<Claims>
  return (definition, handler, options) => Object.freeze({ ...bind(definition, handler, options), auth })
}

/** Throws `ERR_DEFINITION` for a handler that counts on the principals of another resource server. */
export function checkHandlers({ tools, resources, prompts }: Offer, auth: ResourceServer | 'none'): void {
  const offered: readonly (Bound<AnyDefinition> | PromptDefinition)[] = [
    ...(tools ?? []),
    ...(resources ?? []),
    ...(prompts ?? []),
  ]
  for (const bound of offered) {
    if (!('auth' in bound) || bound.auth === auth) continue
    throw new DefinitionError(
      `${nameOf(bound.definition)} was bound with handleFor() to another resource server`,
    )
  }
}
