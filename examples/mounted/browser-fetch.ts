type Fetch = (url: string | URL, init?: RequestInit) => Promise<Response>

const simpleHeaders = new Set(['accept', 'accept-language', 'content-language'])

/** `fetch` as a page of this origin has it: asks first, sends `Origin`, and shows no answer that is not for it. */
export function browserFetch(origin: string): Fetch {
  return async (url, init = {}) => {
    const headers = new Headers(init.headers)
    const method = init.method ?? 'GET'
    const asked = [...headers.keys()].filter((name) => !simpleHeaders.has(name))
    if (method !== 'GET' || asked.length > 0) await preflight(url, origin, method, asked)
    headers.set('origin', origin)
    return readable(await fetch(url, { ...init, headers }), origin)
  }
}

async function preflight(url: string | URL, origin: string, method: string, asked: string[]): Promise<void> {
  const answer = await fetch(url, {
    method: 'OPTIONS',
    headers: {
      origin,
      'access-control-request-method': method,
      'access-control-request-headers': asked.sort().join(','),
    },
  })
  readable(answer, origin)
  if (!answer.ok) throw new TypeError(`The preflight of ${method} was answered ${answer.status}`)
  const methods = listed(answer, 'access-control-allow-methods')
  if (!['get', 'post', ...methods].includes(method.toLowerCase()))
    throw new TypeError(`${method} is not allowed`)
  const allowed = listed(answer, 'access-control-allow-headers')
  const refused = asked.filter((name) => !allowed.includes(name))
  if (refused.length > 0) throw new TypeError(`Headers are not allowed: ${refused.join(', ')}`)
}

function listed({ headers }: Response, name: string): string[] {
  return (headers.get(name) ?? '').split(',').map((entry) => entry.trim().toLowerCase())
}

function readable(answer: Response, origin: string): Response {
  const allowed = answer.headers.get('access-control-allow-origin')
  if (allowed === origin || allowed === '*') return answer
  throw new TypeError(`An answer ${answer.status} is not for ${origin}`)
}
