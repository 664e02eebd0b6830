export interface Invoice {
  readonly id: string
  readonly cents: number
  readonly paid: boolean
}

interface Organization {
  readonly members: ReadonlySet<string>
  readonly invoices: Map<string, Invoice>
}

/** What the app knew before it spoke MCP: organizations, their members and their invoices. */
export class Ledger {
  readonly #organizations = new Map<string, Organization>([
    ['acme', organization(['alice', 'nightly-job'], [1200, 3400])],
    ['globex', organization(['bob'], [99])],
  ])

  isMember(name: string, subject: string): boolean {
    return this.#organizations.get(name)?.members.has(subject) ?? false
  }

  invoices(name: string): Invoice[] {
    return [...(this.#organizations.get(name)?.invoices.values() ?? [])]
  }

  /** Paying a paid invoice changes nothing; an unknown one is undefined. */
  pay(name: string, id: string): Invoice | undefined {
    const invoices = this.#organizations.get(name)?.invoices
    const invoice = invoices?.get(id)
    if (invoices === undefined || invoice === undefined) return undefined
    const paid = { ...invoice, paid: true }
    invoices.set(id, paid)
    return paid
  }
}

function organization(members: readonly string[], amounts: readonly number[]): Organization {
  const invoices = amounts.map((cents, at): Invoice => ({ id: `inv-${at + 1}`, cents, paid: false }))
  return { members: new Set(members), invoices: new Map(invoices.map((invoice) => [invoice.id, invoice])) }
}
