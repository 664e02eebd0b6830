/** What a client of the REST API sees of one answer. */
export interface RestAnswer {
  readonly request: string
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

interface Client {
  readonly base: string
  readonly token: (...scopes: string[]) => Promise<string>
}

type Credentials = 'none' | 'reader' | 'writer'

const requests: readonly (readonly [Credentials, string, string, unknown?])[] = [
  ['none', 'GET', '/health'],
  ['none', 'GET', '/openapi.json'],
  ['none', 'GET', '/.well-known/oauth-protected-resource/mcp'],
  ['none', 'GET', '/v1/orders'],
  ['none', 'GET', '/nowhere'],
  ['reader', 'GET', '/v1/orders?status=open&limit=1'],
  ['reader', 'GET', '/v1/orders?limit=1000'],
  ['reader', 'GET', '/v1/orders/A%2F1'],
  ['reader', 'HEAD', '/v1/orders/A%2F1'],
  ['reader', 'GET', '/v1/orders/count'],
  ['reader', 'POST', '/v1/orders', { id: 'B/1', customer: 'b', cents: 1 }],
  ['writer', 'POST', '/v1/orders', { id: 'B/1', customer: 'b', cents: 1 }],
  ['writer', 'POST', '/v1/orders', { id: 'B/1', customer: 'b', cents: 1 }],
  ['writer', 'PUT', '/v1/orders/B%2F1/status', { status: 'paid' }],
  ['writer', 'DELETE', '/v1/orders/B%2F1'],
]

/** Asks the REST API for everything it does; what differs between any two runs is left out. */
export async function restAnswers({ base, token }: Client): Promise<readonly RestAnswer[]> {
  const tokens = {
    none: undefined,
    reader: await token('orders:read'),
    writer: await token('orders:read', 'orders:write'),
  }
  const answers: RestAnswer[] = []
  for (const [who, method, path, body] of requests) {
    const bearer = tokens[who]
    const response = await fetch(base + path, {
      method,
      headers: {
        ...(bearer !== undefined && { authorization: `Bearer ${bearer}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const stable = (text: string) => text.replaceAll(/127\.0\.0\.1:\d+/g, 'host')
    const headers = [...response.headers].filter(([name]) => name !== 'date' && name !== 'content-length')
    answers.push({
      request: `${who} ${method} ${path}`,
      status: response.status,
      headers: Object.fromEntries(headers.map(([name, value]) => [name, stable(value)])),
      body: stable(await response.text()),
    })
  }
  return answers
}
