import cors from '@fastify/cors'
import rateLimit from '@fastify/rate-limit'
import { ToolError } from 'castellan'
import mcp, { handle, protectedResourceMetadata } from 'castellan/fastify'
import { jwtResourceServer, type ResourceServer } from 'castellan/resource-server'
import fastify, { type FastifyInstance } from 'fastify'
import { audited, membersOnly, type AuditEntry } from './around.js'
import { listInvoices, organizationRoute, payInvoice } from './invoices.js'
import { Ledger } from './ledger.js'

export interface BillingOptions {
  /** What tokens must be issued for: one resource for all organizations. */
  readonly resource: string
  readonly issuer: string
  /** The browser origin that may call the MCP endpoint. */
  readonly assistantOrigin: string
  /** The browser origin that may read the REST routes. */
  readonly dashboardOrigin: string
  readonly requestsPerMinute: number
}

export interface Billing {
  readonly app: FastifyInstance
  readonly audit: readonly AuditEntry[]
}

const basicScopes = ['invoices:read']

/** An app with a life of its own: REST under /v1, hooks, CORS and a rate limit. MCP moves in beside the REST routes. */
export async function billingApp(options: BillingOptions): Promise<Billing> {
  const { resource, issuer, dashboardOrigin, requestsPerMinute: max } = options
  const auth = jwtResourceServer({ resource, issuer, allowLoopbackHttp: true })
  const audit: AuditEntry[] = []
  const app = fastify({ forceCloseConnections: true })
  await app.register(cors, { origin: dashboardOrigin })
  await app.register(rateLimit, { global: false, max, timeWindow: '1 minute' })
  app.addHook('onRequest', app.rateLimit())
  app.addHook('onSend', async (_request, reply, payload) => {
    void reply.header('x-served-by', 'billing')
    return payload
  })
  app.addHook('onClose', () => auth.close())
  await app.register(protectedResourceMetadata, { auth, basicScopes, resourceName: 'Billing' })
  await app.register((api) => version1(api, auth, options, audit), { prefix: '/v1' })
  return { app, audit }
}

async function version1(
  api: FastifyInstance,
  auth: ResourceServer,
  { assistantOrigin }: BillingOptions,
  audit: AuditEntry[],
): Promise<void> {
  const ledger = new Ledger()
  api.get<{ Params: { organization: string } }>('/organizations/:organization/open-amount', ({ params }) => ({
    cents: ledger
      .invoices(params.organization)
      .filter(({ paid }) => !paid)
      .reduce((sum, { cents }) => sum + cents, 0),
  }))
  await api.register(mcp, {
    path: '/organizations/:organization/mcp',
    route: organizationRoute,
    name: 'billing',
    version: '1.0.0',
    auth,
    basicScopes,
    origins: [assistantOrigin],
    around: [audited(audit), membersOnly(ledger)],
    tools: [
      handle(listInvoices, ({ unpaidOnly }, { route }) =>
        ledger.invoices(route.organization).filter(({ paid }) => !(unpaidOnly && paid)),
      ),
      handle(payInvoice, ({ id }, { route }) => {
        const invoice = ledger.pay(route.organization, id)
        if (invoice === undefined) throw new ToolError(`There is no invoice ${id}`)
        return invoice
      }),
    ],
  })
}
