import { defineTool } from 'castellan'
import { z } from 'zod'

/** The values in the URL of the endpoint, `/v1/organizations/:organization/mcp`. */
export const organizationRoute = z.object({ organization: z.string().regex(/^[a-z][a-z-]{1,30}$/) })

const invoice = z.object({ id: z.string(), cents: z.number().int(), paid: z.boolean() })

export const listInvoices = defineTool({
  name: 'list_invoices',
  title: 'List invoices',
  description: 'List the invoices of this organization',
  input: z.object({ unpaidOnly: z.boolean().default(false) }),
  output: z.array(invoice),
  route: organizationRoute,
  scopes: ['invoices:read'],
  annotations: { readOnlyHint: true },
})

export const payInvoice = defineTool({
  name: 'pay_invoice',
  title: 'Pay an invoice',
  description: 'Pay one invoice of this organization',
  input: z.object({ id: z.string() }),
  output: invoice,
  route: organizationRoute,
  scopes: ['invoices:read', 'invoices:pay'],
  annotations: { idempotentHint: true },
})
