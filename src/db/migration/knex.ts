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

export class Term {
  #until: number | undefined;

  /** @param limit milliseconds. */
  begin(limit: number): void {
    this.#until = performance.now() + limit;
  }

  /** From here on the connection is not the migration's: what it has not waited for would not be in its transaction. */
  end(): void {
    this.#until = undefined;
  }

  /** @throws Error for a statement that comes too late, or would end the transaction. */
  admit(text: string): void {
    if (this.#until === undefined) throw new Error('the migration has ended, and did not wait for this statement');
    if (performance.now() > this.#until) throw late();
    if (endsTransaction(text)) {
      throw new Error('a migration is a transaction already: leave out begin, commit and rollback');
    }
  }
}

/** Time is over. */
export function late(): Error {
  return new Error('it has taken longer than a migration may take');
}

/** A statement that may rename tables and columns, or drop them. */
export const CHANGES_TABLES = /\b(?:alter|drop)\s+table\b/i;

const COMMENTS_AND_TEXTS = /--[^\n]*|\/\*[\s\S]*?\*\/|'(?:[^']|'')*'|"(?:[^"]|"")*"|\$([a-z_]\w*)?\$[\s\S]*?\$\1\$/gi;
/** At the beginning of a statement; a savepoint may be rolled back to. */
const ENDS =
  /(?:^|;)\s*(?:begin|start\s+transaction|commit|abort|prepare\s+transaction|rollback(?!\s+(?:(?:work|transaction)\s+)?to\b))\b/i;
/** `end` is the same as `commit`, and ends the body of a trigger or a function. */
const END = /(?:^|;)\s*end\b/i;
const WITH_BODY = /\bcreate\b[^;]*\b(?:trigger|function|procedure)\b/i;

/** Whether a text begins or ends a transaction. */
export function endsTransaction(text: string): boolean {
  const words = text.replaceAll(COMMENTS_AND_TEXTS, ' ');
  return ENDS.test(words) || (END.test(words) && !WITH_BODY.test(words));
}
