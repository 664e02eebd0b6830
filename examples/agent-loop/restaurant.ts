import {
  InternalClientError,
  OutcomeUnknownError,
  type Caller,
  type CallRequest,
  type CallResponse,
  type InputRequest,
} from 'castellan/client'

/** What the restaurant remembers, whoever calls. */
export interface Restaurant {
  readonly bookings: { day: string; guests: number; time: string }[]
  flowers: number
}

const askForTime: InputRequest = {
  method: 'elicitation/create',
  params: {
    message: 'At what time?',
    requestedSchema: {
      type: 'object',
      properties: { time: { type: 'string', enum: ['18:00', '20:00'] } },
      required: ['time'],
    },
  },
}

/** A caller of the restaurant's tools, standing in for `httpCaller` so that the example needs no network. */
export function restaurantCaller(restaurant: Restaurant): Caller {
  const tools: Record<string, (request: CallRequest) => CallResponse> = {
    check_weather: () => said('No forecast for that day yet', true),
    book_table: (request) => book(restaurant, request),
    order_flowers: () => {
      restaurant.flowers++
      throw new OutcomeUnknownError(new Error('The connection broke'))
    },
  }
  const noTasks = () => Promise.reject(new InternalClientError('The restaurant has no tasks'))
  return {
    async callTool(request) {
      return tools[request.tool]?.(request) ?? said('No such tool', true)
    },
    getTask: noTasks,
    updateTask: noTasks,
    cancelTask: noTasks,
  }
}

function book(restaurant: Restaurant, { arguments: args, continuation }: CallRequest): CallResponse {
  const answer = continuation?.inputResponses?.['time']
  if (answer === undefined) {
    return { status: 'input_required', requests: { time: askForTime }, requestState: 'table 7 is held' }
  }
  if (answer.action !== 'accept' || continuation?.requestState !== 'table 7 is held')
    return said('Nothing was booked', true)
  const { day, guests } = args as { day: string; guests: number }
  const time = String(answer.content?.['time'])
  const count = restaurant.bookings.push({ day, guests, time })
  const structuredContent = { reference: `T${count}`, time }
  return { ...said(`Booked for ${time}`), structuredContent }
}

function said(text: string, isError = false) {
  return { status: 'complete' as const, content: [{ type: 'text' as const, text }], isError }
}
