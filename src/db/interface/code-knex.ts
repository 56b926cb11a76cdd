/**
 * Knex for a project's code while it runs (https://knexjs.org/guide): each statement runs in the transaction that the code
 * takes part in, or by itself. Knex begins no transaction of its own; within one, its transactions are savepoints.
 */
import { createRequire } from 'node:module';
import type { Knex } from 'knex';
import type { KnexClient, KnexClientClass } from '../migration/knex.ts';
import { CHANGES_TABLES, endsTransaction, namesAbsentTable } from '../migration/knex.ts';

/** Runs one statement, and gives the answer that the engine's Knex client reads. */
type RunRaw = (text: string, values: readonly unknown[]) => Promise<unknown>;

/** A transaction of the code. */
export interface HostTransaction {
  readonly raw: RunRaw;
  commit(): Promise<void>;
  rollback(): Promise<void>;
}

/** What runs the statements of the code. */
export interface KnexHost {
  /** Runs a statement in the current transaction of the code, or by itself. */
  readonly raw: RunRaw;
  /** Runs work in the current transaction of the code, or in a new one, and resolves when that has ended. */
  within<T>(work: (own: HostTransaction) => Promise<T>): Promise<T>;
  /** Refuses a statement that Galley does not run. */
  refuse(member: string): never;
  /** Refuses members that Strapi has and Galley lacks. */
  missing(member: string): never;
}

/** A statement on its way through Knex. */
export interface RawQuery {
  readonly sql: string;
  readonly bindings?: readonly unknown[];
  response?: unknown;
  context?: unknown;
}

/** What differs between the engines. */
export interface KnexEngine {
  /** What the reference's configuration calls the client. */
  readonly name: string;
  /** The engine's client class of Knex. */
  readonly Client: KnexClientClass;
  /** Values as the engine takes them. */
  values(bindings: readonly unknown[]): readonly unknown[];
  /** Puts an answer of `raw` where the client looks for it. */
  answer(query: RawQuery, answer: unknown): void;
}

/** Where the statements of one Knex client run. */
interface Bound {
  readonly raw: RunRaw;
}

type Container = (trx: Knex.Transaction) => unknown;

/** A client that begins transactions; Knex's declarations leave this out. */
interface TransactingClient extends KnexClient {
  transaction(container: Container, config: object, outer?: unknown): PromiseLike<unknown>;
}

const load = createRequire(import.meta.url);

/**
 * Knex for the code of one project.
 *
 * @param own the transaction of the code that all statements run in, as `strapi.db.transaction` gives it; undefined for the
 * current one at each statement.
 */
export function codeKnex(engine: KnexEngine, host: KnexHost, own: HostTransaction | undefined): Knex {
  return own ? transactionKnex(engine, host, own) : freeKnex(engine, host);
}

function freeKnex(engine: KnexEngine, host: KnexHost): Knex {
  const transact = (container: Container, config: object): Promise<unknown> => {
    const committed = Promise.withResolvers<void>();
    committed.promise.catch(() => {});
    const whole = host.within(async (own) => {
      const { client } = instance(engine, host, own) as unknown as { client: TransactingClient };
      return client.transaction((trx) => container(withCommit(trx, committed.promise)), config);
    });
    whole.then(
      () => committed.resolve(),
      (error: unknown) => committed.reject(error),
    );
    return whole;
  };
  return instance(engine, host, undefined, transact);
}

function transactionKnex(engine: KnexEngine, host: KnexHost, own: HostTransaction): Knex {
  const { commit, rollback } = own;
  return Object.assign(instance(engine, host, own), { isTransaction: true, commit, rollback });
}

/** `commit` of a transaction that resolves once the commit is durable. */
function withCommit(trx: Knex.Transaction, committed: Promise<void>): Knex.Transaction {
  const release = trx.commit.bind(trx);
  const commit = async (value?: unknown): Promise<unknown> => {
    const result: unknown = await release(value);
    await committed;
    return result;
  };
  return Object.assign(trx, { commit });
}

/**
 * @param bound the transaction that all statements run in; undefined for the current one at each statement.
 * @param transact begins a transaction; undefined where there is one already.
 */
function instance(
  { name, Client, values, answer }: KnexEngine,
  host: KnexHost,
  bound: Bound | undefined,
  transact?: (container: Container, config: object) => Promise<unknown>,
): Knex {
  class CodeClient extends (Client as new (config: Knex.Config) => TransactingClient) {
    override async acquireConnection(): Promise<unknown> {
      return { raw: bound?.raw ?? host.raw };
    }
    override async releaseConnection(): Promise<void> {}
    override async destroy(done?: () => void): Promise<void> {
      done?.();
    }
    override transaction(container: Container, config: object, outer?: unknown): PromiseLike<unknown> {
      return transact ? transact(container, config) : super.transaction(container, config, outer);
    }
    override async _query(connection: unknown, query: RawQuery): Promise<unknown> {
      const { sql, bindings = [] } = query;
      if (!sql) throw new Error('The query is empty');
      if (endsTransaction(sql)) host.refuse('begin, commit or rollback as a statement of strapi.db.connection');
      if (CHANGES_TABLES.test(sql)) host.refuse('alter table or drop table by strapi.db.connection');
      if (namesAbsentTable(sql, bindings)) host.missing('a table of Strapi that Galley does not keep');
      answer(query, await (connection as Bound).raw(sql, values(bindings)));
      return query;
    }
    _stream(): never {
      return host.refuse('a stream of strapi.db.connection');
    }
  }
  CodeClient.prototype.transacting = transact === undefined;
  const knex = (load('knex') as (config: object) => Knex)({
    client: CodeClient,
    useNullAsDefault: true,
    // errors name the place of a statement in the project's code, and contain none of its values
    asyncStackTraces: true,
    compileSqlOnError: false,
  });
  const client = knex.client as { config: { client: string; connection?: object }; driver?: object };
  client.config.client = name;
  // Knex copies both into its transactions, and code reads nothing of them
  client.config.connection = unread(host, 'strapi.db.connection.client.config.connection');
  client.driver = unread(host, 'strapi.db.connection.client.driver');
  // Galley has pools of its own
  Object.defineProperty(knex.client, 'pool', { get: () => host.refuse('strapi.db.connection.client.pool') });
  return knex;
}

/** A stand-in for an object that Galley lacks. @param name in errors. */
const unread = (host: KnexHost, name: string): object =>
  new Proxy(
    {},
    {
      get: (_target, key) => (typeof key === 'symbol' ? undefined : host.missing(`${name}.${key}`)),
      has: (_target, key) => host.missing(`${name}.${String(key)}`),
      ownKeys: () => host.missing(name),
    },
  );
