/** Knex for migrations of a project, on a connection that Galley opens (https://knexjs.org/guide). */
import type { Knex } from 'knex';

/** A statement as Knex runs it. */
export interface KnexQuery {
  readonly sql: string;
}

/** The replaced members of a Knex client; Knex's declarations omit some of them. */
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
  /** The client's name in the reference's configuration. */
  readonly name: string;
  readonly Client: KnexClientClass;
  /** A connection of that client's driver. It is in a transaction, and is neither closed nor shared. */
  readonly connection: object;
  run<T>(text: string, ask: () => Promise<T>): Promise<T>;
}

/**
 * Creates a Knex that runs every statement on one connection, and whose transactions are savepoints in the open
 * transaction.
 */
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
    // errors name the line of the project's code that issued a statement, and contain none of its values
    asyncStackTraces: true,
    compileSqlOnError: false,
  });
  // migrations read it to learn the engine
  (knex.client as { config: { client: string } }).config.client = name;
  return knex;
}

export class Term {
  #until: number | undefined;

  /** @param limit milliseconds. */
  begin(limit: number): void {
    this.#until = performance.now() + limit;
  }

  /**
   * Ends the migration's use of the connection: statements that it did not wait for would run outside its transaction.
   */
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

/** The error of a migration that exceeds its time. */
export function late(): Error {
  return new Error('it has taken longer than a migration may take');
}

/** A statement that may rename or drop tables or columns. */
export const CHANGES_TABLES = /\b(?:alter|drop)\s+table\b/i;

const ABSENT =
  'strapi_(?:ai_localization_jobs|ai_metadata_jobs|database_schema|history_versions|migrations|release_actions|releases|sessions|transfer_token_permissions|transfer_tokens|workflows|workflows_stages)(?:_\\w+_lnk)?|admin_permissions_api_token_lnk';
/** A statement that names a table which the reference has and Galley lacks or does not keep. */
const OF_ABSENT_TABLE = new RegExp(`\\b(?:${ABSENT})\\b`, 'i');
/** The name of such a table. */
const ABSENT_TABLE = new RegExp(`^(?:${ABSENT})$`, 'i');
/** A statement that lists the tables. */
const LISTS_TABLES = /\b(?:sqlite_(?:master|schema)|information_schema|pg_(?:class|tables)|to_regclass|pragma)\b/i;

/** Whether a statement reads or writes a table of the reference that Galley lacks, or tests whether one exists. */
export const namesAbsentTable = (text: string, values: readonly unknown[]): boolean =>
  OF_ABSENT_TABLE.test(text) ||
  (LISTS_TABLES.test(text) && values.some((value) => typeof value === 'string' && ABSENT_TABLE.test(value)));

const COMMENTS_AND_TEXTS = /--[^\n]*|\/\*[\s\S]*?\*\/|'(?:[^']|'')*'|"(?:[^"]|"")*"|\$([a-z_]\w*)?\$[\s\S]*?\$\1\$/gi;
/** A statement that begins or ends a transaction, except a rollback to a savepoint. */
const ENDS =
  /(?:^|;)\s*(?:begin|start\s+transaction|commit|abort|prepare\s+transaction|rollback(?!\s+(?:(?:work|transaction)\s+)?to\b))\b/i;
/** `end` means `commit`, but also ends the body of a trigger or a function. */
const END = /(?:^|;)\s*end\b/i;
const WITH_BODY = /\bcreate\b[^;]*\b(?:trigger|function|procedure)\b/i;

/** Whether a text begins or ends a transaction. */
export function endsTransaction(text: string): boolean {
  const words = text.replaceAll(COMMENTS_AND_TEXTS, ' ');
  return ENDS.test(words) || (END.test(words) && !WITH_BODY.test(words));
}
