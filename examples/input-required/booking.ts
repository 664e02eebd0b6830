import { defineTool, form, ToolError, urlConsent } from 'castellan'
import { handle } from 'castellan/fastify'
import { z } from 'zod'

/** Shared by server and client. */
export const bookTable = defineTool({
  name: 'book_table',
  description: 'Books a table; asks for the details and for a deposit',
  input: z.object({ restaurant: z.string() }),
  output: z.object({ booking: z.string(), seats: z.int(), seating: z.string() }),
  inputs: {
    details: form(
      z.object({
        seats: z.int().min(1).max(12).default(2).meta({ title: 'How many people?' }),
        seating: z.enum(['inside', 'terrace']).meta({ title: 'Where?' }),
      }),
    ),
    deposit: urlConsent(),
  },
})

/** The records of the restaurant, which all instances share. */
export interface Ledger {
  readonly paid: ReadonlySet<string>
  /** Puts a table aside; the number of the reservation cannot be guessed. */
  readonly reserve: () => string
}

/** Each run starts at the top; what must not be done twice is remembered in the state. */
export const booking = ({ paid, reserve }: Ledger) =>
  handle(bookTable, async ({ restaurant }, { input }) => {
    const details = await input.details({ message: `Your table at ${restaurant}` })
    if (details.action !== 'accept') throw new ToolError('The user does not want a table')

    const reservation = z.string().optional().parse(input.state.get()) ?? reserve()
    input.state.set(reservation)
    const url = `https://pay.example.com/deposit/${reservation}`
    const deposit = await input.deposit({ message: 'A deposit of 20 € keeps the table', url })
    if (deposit.action !== 'accept') throw new ToolError('Without a deposit there is no table')
    if (!paid.has(reservation)) throw new ToolError('The deposit has not arrived: pay it and book again')
    return { booking: reservation, ...details.content }
  })
