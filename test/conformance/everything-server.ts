import mcp, { memoryChanges } from 'castellan/fastify'
import { jwtResourceServer, type ResourceServer } from 'castellan/resource-server'
import { testAuthorizationServer } from 'castellan/testing'
import fastify from 'fastify'
import { changeTools } from './change-tools.js'
import { prompts } from './prompts.js'
import { resources } from './resources.js'
import { tools } from './tools.js'

export interface EverythingServer {
  readonly url: URL
  /** Present when the server is protected. */
  readonly token?: string
  close(): Promise<void>
}

export interface EverythingOptions {
  readonly port: number
  readonly isProtected: boolean
  /** Ports whose loopback origins are welcome besides the server's own. */
  readonly originPorts?: readonly number[]
}

const scope = 'mcp:use'

/** A server with every fixture the official suite asks for, open or behind a token. */
export async function everythingServer(options: EverythingOptions): Promise<EverythingServer> {
  const url = new URL(`http://localhost:${options.port}/mcp`)
  if (!options.isProtected) {
    const app = await listening(options, 'none')
    return { url, close: () => app.close() }
  }
  const authorization = await testAuthorizationServer()
  const { issuer } = authorization
  const auth = jwtResourceServer({ resource: url.href, issuer, allowLoopbackHttp: true })
  const app = await listening(options, auth)
  const token = await authorization.mint({ resource: url.href, scopes: [scope], expiresInSeconds: 3600 })
  return {
    url,
    token,
    close: async () => {
      await app.close()
      await authorization.close()
    },
  }
}

async function listening({ port, originPorts = [] }: EverythingOptions, auth: ResourceServer | 'none') {
  const app = fastify({ forceCloseConnections: true })
  const changes = memoryChanges()
  const allTools = [...tools, ...changeTools(changes)]
  const toolNames = allTools.map(({ definition }) => definition.name)
  const promptNames = prompts.map((prompt) => ('definition' in prompt ? prompt.definition.name : prompt.name))
  const origins = [port, ...originPorts].flatMap((p) => [`http://localhost:${p}`, `http://127.0.0.1:${p}`])
  await app.register(mcp, {
    path: '/mcp',
    name: 'everything',
    version: '1.0.0',
    auth,
    ...(auth === 'none' ? {} : { basicScopes: [scope] }),
    origins,
    tools: allTools,
    resources,
    prompts,
    changes,
    catalogs: { tools: () => ({ names: toolNames }), prompts: () => ({ names: promptNames }) },
  })
  await app.listen({ port, host: 'localhost' })
  return app
}

if (import.meta.filename === process.argv[1]) {
  const port = Number(process.env['PORT'] ?? 3000)
  const server = await everythingServer({ port, isProtected: process.env['PROTECTED'] === '1' })
  console.log(`Listening on ${server.url.href}`)
  if (server.token !== undefined) console.log(`Authorization: Bearer ${server.token}`)
}
