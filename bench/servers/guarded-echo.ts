import { protect } from 'castellan/fastify'
import {
  introspectionResourceServer,
  jwtResourceServer,
  secretBasic,
  withDpop,
  type ResourceServer,
} from 'castellan/resource-server'
import fastify, { type FastifyRequest } from 'fastify'
import { echoResult, issuer, resource, scope } from '../workload.js'
import { startIssuer } from './introspection-answers.js'
import { libraryCheck } from './library-check.js'
import { ready } from './ready.js'

const [who = 'library', kind = 'jwt'] = process.argv.slice(2)
const endpoint = kind.startsWith('introspection') ? await startIssuer() : ''

/** Every token is verified every time it comes, but for `introspection-cached`. */
function resourceServer(): ResourceServer {
  if (endpoint !== '') {
    const registration = secretBasic({ issuer, clientId: 'bench', clientSecret: 'bench-secret-of-the-bench' })
    return introspectionResourceServer({
      ...{ resource, registration, endpoint, allowLoopbackHttp: true },
      ...(kind === 'introspection-cached' && { cache: { maxSeconds: 60 } }),
    })
  }
  const keys = JSON.parse(process.env['BENCH_KEYS'] ?? '')
  const jwt = jwtResourceServer({ resource, issuer, keys, maxCacheSeconds: 0 })
  // The one proof of the load is sent again and again.
  return kind === 'dpop' ? withDpop(jwt, { replay: { add: () => true }, maxAgeSeconds: 600 }) : jwt
}

const app = fastify()
if (who === 'library') {
  const isGood = libraryCheck(kind, endpoint)
  app.addHook('onRequest', async ({ headers }, reply) => {
    const token = headers.authorization?.split(' ')[1] ?? ''
    if (!(await isGood(token, headers['dpop']))) return reply.code(401).send()
  })
} else await app.register(protect, { auth: resourceServer(), basicScopes: [scope] })

type Call = FastifyRequest<{ Body: { id: unknown; params: { arguments: { text: string } } } }>
app.post('/mcp', ({ body }: Call) => ({
  ...{ jsonrpc: '2.0', id: body.id },
  result: echoResult(body.params.arguments.text),
}))
await ready(app)
