/** Knex, which migrations of a project are given, on a connection of ours (https://knexjs.org/guide). */
import type { Knex } from 'knex';

/** A statement on its way. */
export interface KnexQuery {
  readonly sql: string;
}

/** What of a client of Knex is replaced; its declarations leave some of it out. */
export interface KnexClient {
  transacting?: boolean;
  acquireConnection(): Promise<unknown>;
  releaseConnection(connection: unknown): Promise<void>;
  destroy(done?: () => void): Promise<void>;
  prepBindings(bindings: readonly unknown[] | undefined): readonly unknown[] | undefined;
  ddl(...args: unknown[]): object;
  _query(connection: unknown, query: KnexQuery): Promise<unknown>;
}

export type KnexClientClass = new (config: Knex.Config) => KnexClient;

export interface KnexOptions {
  /** What the reference's configuration calls the client. */
  readonly name: string;
  /** Knex's client of the engine. */
  readonly Client: KnexClientClass;
  /** What that client's driver gives. It is in a transaction, and is neither closed nor shared. */
  readonly connection: object;
  /** Runs each statement. */
  run<T>(text: string, ask: () => Promise<T>): Promise<T>;
}

/** Knex that asks everything on one connection, and begins no transaction but savepoints in the one that there is. */
export async function knexOn({ name, Client, connection, run }: KnexOptions): Promise<Knex> {
  class MigrationClient extends Client {
    override async acquireConnection(): Promise<unknown> {
      return connection;
    }
    override async releaseConnection(): Promise<void> {}
    override async destroy(done?: () => void): Promise<void> {
      done?.();
    }
    override _query(_connection: unknown, query: KnexQuery): Promise<unknown> {
      return run(query.sql, () => super._query(connection, query));
    }
  }
  MigrationClient.prototype.transacting = true;
  const { default: createKnex } = await import('knex');
  const knex = createKnex({
    client: MigrationClient as unknown as typeof Knex.Client,
    useNullAsDefault: true,
    // errors say where in the project's code a statement was made, and hold none of its values
    asyncStackTraces: true,
    compileSqlOnError: false,
  });
  // migrations ask for it to know the engine
  (knex.client as { config: { client: string } }).config.client = name;
  return knex;
}
