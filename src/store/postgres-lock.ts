import { DefinitionError } from '../errors.js'
import type { DistributedLock } from './distributed-lock.js'
import { pollingLock } from './polling-lock.js'

/** What is used of a `Pool` of the package `pg` 8. */
export interface PostgresPool {
  query(text: string, values: unknown[]): Promise<{ readonly rowCount: number | null }>
}

export interface PostgresLockOptions {
  /** Name of the table, with its schema where it has one; `castellan_lock` when left out. */
  readonly table?: string
}

const identifier = /^[a-z_][a-z0-9_]*(?:\.[a-z_][a-z0-9_]*)?$/

/**
 * Locks in PostgreSQL for `keyvAuthorizationStore`, over a pool of `pg` 8.
 *
 * A lock is a row that exists while it is held; the clock is the server's. Every statement stands alone, so transaction pooling
 * (PgBouncer) is fine and no connection is kept. The table is created when it is missing:
 * `castellan_lock (name text PRIMARY KEY, fence text NOT NULL, expires_at timestamptz NOT NULL)`.
 */
export function postgresLock(pool: PostgresPool, options: PostgresLockOptions = {}): DistributedLock {
  const { table = 'castellan_lock' } = options
  if (typeof (pool as Partial<PostgresPool> | undefined)?.query !== 'function') {
    throw new DefinitionError('`postgresLock` takes a pool of `pg` 8', 'ERR_OPTION')
  }
  if (typeof table !== 'string' || !identifier.test(table)) {
    throw new DefinitionError('`table` must be a lower-case identifier', 'ERR_OPTION')
  }
  const statements = lockStatements(table)

  async function run(text: string, values: unknown[]): Promise<boolean> {
    const { rowCount } = await pool.query(text, values)
    return rowCount === 1
  }

  return pollingLock({
    async take(name, fence, ttl) {
      try {
        return await run(statements.take, [name, fence, ttl])
      } catch (error) {
        if (!hasCode(error, undefinedTable)) throw error
        await createTable(pool, statements.create)
        return run(statements.take, [name, fence, ttl])
      }
    },
    isHeld: (name, fence) => run(statements.isHeld, [name, fence]),
    renew: (name, fence, ttl) => run(statements.renew, [name, fence, ttl]),
    async release(name, fence) {
      await run(statements.release, [name, fence])
    },
  })
}

function lockStatements(table: string) {
  const soon = "clock_timestamp() + $3::float8 * interval '1 millisecond'"
  const mine = 'name = $1 AND fence = $2'
  const valid = `${mine} AND expires_at > clock_timestamp()`
  return {
    create: `CREATE TABLE IF NOT EXISTS ${table} (name text PRIMARY KEY, fence text NOT NULL, expires_at timestamptz NOT NULL)`,
    take: `INSERT INTO ${table} AS held (name, fence, expires_at) VALUES ($1, $2, ${soon})
      ON CONFLICT (name) DO UPDATE SET fence = excluded.fence, expires_at = excluded.expires_at
      WHERE held.expires_at <= clock_timestamp()`,
    isHeld: `SELECT 1 FROM ${table} WHERE ${valid}`,
    renew: `UPDATE ${table} SET expires_at = ${soon} WHERE ${valid}`,
    release: `DELETE FROM ${table} WHERE ${mine}`,
  }
}

const undefinedTable = '42P01'
/** What PostgreSQL answers when two processes create one table at once. */
const createdMeanwhile = ['23505', '42P07', '42710']

async function createTable(pool: PostgresPool, statement: string): Promise<void> {
  try {
    await pool.query(statement, [])
  } catch (error) {
    if (!createdMeanwhile.some((code) => hasCode(error, code))) throw error
  }
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code
}
