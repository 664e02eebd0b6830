import { z } from 'zod'
import type { RouteValues } from '../contract/context.js'
import type { FollowerContext } from '../contract/extension.js'
import type { Principal } from '../oauth/principal.js'
import type { JsonObject } from '../protocol/json.js'
import { sameJson } from './same-json.js'
import type { TaskState } from './task-state.js'

/** Everything a worker on any machine needs to do the work of one task, and what became of it. */
export interface TaskRecord {
  readonly version: 1
  /** The id clients know. */
  readonly id: string
  readonly tool: string
  /** Who created it, as the guard verified it: with claims, without the token. Absent on an open server. */
  readonly principal?: Principal | undefined
  readonly route: Readonly<Record<string, unknown>>
  /** The values in the URL under which it was created, as they were sent. */
  readonly givenRoute: RouteValues
  /** The arguments as they were sent. */
  readonly arguments: Readonly<Record<string, unknown>>
  /** What `prepare` gave. */
  readonly prepared?: unknown
  /** What the client that created it can be asked: its capability `elicitation`. */
  readonly capabilities: JsonObject
  readonly protocol: string
  /** Milliseconds since the epoch. */
  readonly createdAt: number
  readonly updatedAt: number
  readonly ttlMs: number
  readonly state: TaskState
}

const object = z.record(z.string(), z.unknown())

const question = z.strictObject({
  request: object,
  answer: object.optional(),
  withdrawn: z.literal(true).optional(),
})

const state = z.discriminatedUnion('phase', [
  z.strictObject({
    phase: z.literal('open'),
    runs: z.int().nonnegative(),
    run: z.string().optional(),
    message: z.string().optional(),
    questions: z.record(z.string(), question),
  }),
  z.strictObject({ phase: z.literal('completed'), result: object }),
  z.strictObject({
    phase: z.literal('failed'),
    error: z.strictObject({ code: z.int(), message: z.string(), data: z.unknown().optional() }),
  }),
  z.strictObject({ phase: z.literal('cancelled') }),
])

const principal = z.strictObject({
  issuer: z.string(),
  subject: z.string(),
  clientId: z.string().optional(),
  scopes: z.array(z.string()),
  expiresAt: z.number(),
  claims: object,
})

const record = z.strictObject({
  version: z.literal(1),
  id: z.string(),
  tool: z.string(),
  principal: principal.optional(),
  route: object,
  givenRoute: z.record(z.string(), z.string()),
  arguments: object,
  prepared: z.unknown().optional(),
  capabilities: object,
  protocol: z.string(),
  createdAt: z.int(),
  updatedAt: z.int(),
  ttlMs: z.int().positive(),
  state,
})

/** The record in a text from a store. Throws `TypeError` for anything else. */
export function readTaskRecord(text: string): TaskRecord {
  const parsed = record.safeParse(parsedJson(text))
  if (parsed.success) return parsed.data as unknown as TaskRecord
  throw new TypeError('A stored task is not of this version')
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** A principal without members its type does not have, so that nothing else is kept. */
export function keptPrincipal({
  issuer,
  subject,
  clientId,
  scopes,
  expiresAt,
  claims,
}: Principal): Principal {
  return { issuer, subject, ...(clientId !== undefined && { clientId }), scopes, expiresAt, claims }
}

/**
 * Whether somebody is who created the task, and at the same URL: the same issuer, subject and client, or nobody on an open
 * server.
 */
export function isOwner(
  record: TaskRecord,
  { principal, givenRoute }: Pick<FollowerContext, 'principal' | 'givenRoute'>,
): boolean {
  return ownerName(record.principal) === ownerName(principal) && sameJson(record.givenRoute, givenRoute)
}

/** Whose a task is, as a text: of an issuer, subject and client, or of anybody on an open server. */
export function ownerName(principal: Principal | undefined): string {
  if (principal === undefined) return ''
  const { issuer, subject, clientId } = principal
  return JSON.stringify([issuer, subject, clientId])
}
