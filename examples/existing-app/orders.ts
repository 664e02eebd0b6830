import type pg from 'pg'

export interface Order {
  readonly id: string
  readonly customer: string
  readonly cents: number
  readonly status: string
}

/** The part of the app that was there before MCP: orders in PostgreSQL. */
export class Orders {
  readonly #pool: pg.Pool

  constructor(pool: pg.Pool) {
    this.#pool = pool
  }

  async create(): Promise<void> {
    await this.#pool.query(`
      create table orders (id text primary key, customer text not null, cents int not null, status text not null);
      insert into orders values ('A/1', 'acme', 1200, 'open'), ('A/2', 'acme', 3400, 'paid'), ('G/1', 'globex', 99, 'open')`)
  }

  async list(status: readonly string[], limit: number): Promise<readonly Order[]> {
    const wanted = status.length === 0 ? null : status
    const text = 'select * from orders where $1::text[] is null or status = any($1) order by id limit $2'
    return (await this.#pool.query<Order>(text, [wanted, limit])).rows
  }

  async find(id: string): Promise<Order | undefined> {
    return (await this.#pool.query<Order>('select * from orders where id = $1', [id])).rows[0]
  }

  /** `undefined` if there is an order of this id. */
  async add(id: string, customer: string, cents: number): Promise<Order | undefined> {
    const text = `insert into orders values ($1, $2, $3, 'open') on conflict do nothing returning *`
    return (await this.#pool.query<Order>(text, [id, customer, cents])).rows[0]
  }

  async setStatus(id: string, status: string): Promise<Order | undefined> {
    const text = 'update orders set status = $2 where id = $1 returning *'
    return (await this.#pool.query<Order>(text, [id, status])).rows[0]
  }

  async remove(id: string): Promise<boolean> {
    return (await this.#pool.query('delete from orders where id = $1', [id])).rowCount === 1
  }
}
