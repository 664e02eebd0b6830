import { randomBytes } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'

/** Values kept in the browser of one user, out of reach of scripts and of other sites' forms. */
export interface Cookies {
  read(request: FastifyRequest, name: string): string | undefined
  write(reply: FastifyReply, name: string, value: string): void
  clear(reply: FastifyReply, name: string): void
}

/** Over https the names are `__Host-…`, which no other host can set (RFC 6265bis). */
export function cookiesOf(origin: string): Cookies {
  const isSecure = origin.startsWith('https:')
  const full = (name: string) => (isSecure ? `__Host-${name}` : name)
  const traits = `Path=/; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`
  return {
    read(request, name) {
      const all = (request.headers.cookie ?? '').split(/; */).map((pair) => pair.split('='))
      return all.find(([key]) => key === full(name))?.[1]
    },
    write: (reply, name, value) => void reply.header('set-cookie', `${full(name)}=${value}; ${traits}`),
    clear: (reply, name) => void reply.header('set-cookie', `${full(name)}=; ${traits}; Max-Age=0`),
  }
}

/** Who has this id is the user: it is random, and given to one browser. */
export function newSessionId(): string {
  return randomBytes(32).toString('base64url')
}

export function isSessionId(value: string | undefined): value is string {
  return value !== undefined && /^[\w-]{43}$/.test(value)
}
