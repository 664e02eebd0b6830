import { defineTool } from 'castellan'
import { z } from 'zod'

export const bookTable = defineTool({
  name: 'book_table',
  description: 'Book a table for an evening',
  input: z.object({ day: z.iso.date(), guests: z.int().min(1).max(8), terrace: z.boolean().default(false) }),
  output: z.object({ reference: z.string(), time: z.string() }),
})

export const checkWeather = defineTool({
  name: 'check_weather',
  description: 'Forecast for a day',
  input: z.object({ day: z.iso.date() }),
  output: z.object({ dry: z.boolean() }),
})

export const orderFlowers = defineTool({
  name: 'order_flowers',
  description: 'Have flowers on the table',
  input: z.object({ reference: z.string() }),
})
