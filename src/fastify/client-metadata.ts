import fp from 'fastify-plugin'
import {
  clientMetadataDocument,
  type ClientDescription,
} from '../oauth/registration/client-metadata-document.js'
import { installing } from './installing.js'
import { ownGuard } from './own-guard.js'
import { undocumented } from './undocumented.js'

const headers = {
  'content-type': 'application/json',
  'cache-control': 'public, max-age=300',
  'access-control-allow-origin': '*',
}

/**
 * Serves the client metadata document of this application at the path of its `clientId`, for authorization servers to read:
 * outside every guard, for GET and HEAD. Register it at the root of the app.
 *
 * Throws `DefinitionError` (`ERR_OPTION`) as `clientMetadataDocument`. OAuth Client ID Metadata Document draft, §4 and §6.
 */
export const clientMetadata = fp(
  installing<ClientDescription>((app, client) => {
    const body = Buffer.from(JSON.stringify(clientMetadataDocument(client)))
    app.route({
      method: 'GET',
      url: new URL(client.clientId).pathname,
      exposeHeadRoute: true,
      config: { [ownGuard]: true },
      schema: undocumented(),
      handler: (_request, reply) => reply.headers(headers).send(body),
    })
  }),
  { name: 'castellan-client-metadata', fastify: '5.x' },
)
