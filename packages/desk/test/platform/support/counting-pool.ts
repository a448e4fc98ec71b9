import type { Pool, PoolClient } from 'pg';

/** A pool that counts the statements that it sends. Each statement is one round trip. */
export class CountingPool {
  readonly pool: Pool;
  #statements: string[] = [];

  constructor(pool: Pool) {
    this.pool = pool;
    pool.on('connect', (client: PoolClient) => {
      const { query } = client;
      // The desk calls `query` with one statement.
      client.query = ((statement: { readonly text: string }) => {
        this.#statements.push(statement.text);
        return Reflect.apply(query, client, [statement]);
      }) as typeof client.query;
    });
  }

  /** Returns the statements since the last call, without notifications of other processes. */
  take(): readonly string[] {
    const statements = this.#statements.filter((text) => !/pg_notify|^listen/i.test(text));
    this.#statements = [];
    return statements;
  }
}
